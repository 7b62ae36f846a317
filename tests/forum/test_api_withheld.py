"""Programs learn that a text waits for moderators, and read it as its author's page shows it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from forum.actions import comments as comment_actions
from forum.api import tokens
from forum.models import Comment, ModAction, Post, Rule, User
from forum.moderation.actions import decisions, removals, threads
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post
from tests.forum.test_holds import rule

pytestmark = pytest.mark.django_db(transaction=True)
SCOPES = ("read", "write")
Ask = Callable[..., Any]


@pytest.fixture
def ask() -> Ask:
    """Return a function that sends a person's request to the API; a body makes it a POST."""

    def send(user: User | None, path: str, body: Any = None, scopes: Any = SCOPES) -> Any:
        headers = {}
        if user:
            token = tokens.create(user=user, name="Script", scopes=scopes)
            headers["Authorization"] = f"Bearer {token}"
        client = Client(headers=headers)
        if body is None:
            return client.get(f"/api/v1/{path}")
        return client.post(f"/api/v1/{path}", body, content_type="application/json")

    return send


def test_program_learns_that_a_comment_waits_and_can_read_it(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    rule()
    written = post(bob)
    answer = ask(ada, f"posts/{written.pk}/comments", {"text": "My *casino*"})
    assert (answer.status_code, answer.json()["state"]) == (202, "held")
    assert answer.json()["notice"] == "Waiting for a moderator's approval."
    path = f"comments/{answer.json()['id']}"
    assert ask(ada, path).json() == answer.json()
    assert ask(ada, path).json()["text"] == "My *casino*"
    for other in (bob, None):
        assert ask(other, path).status_code == 410
    decisions.approve(Comment.objects.get(), by=stella)
    assert ask(None, path).json()["state"] == "published"


def test_reply_in_a_thread_whose_replies_are_held_waits(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    written = post(bob)
    first = add_comment(bob, written)
    threads.set_thread(written, ModAction.Kind.HOLD_REPLIES, by=stella, reason="Calm down")
    for body in ({"text": "Yes"}, {"text": "No", "parent": first.pk}):
        answer = ask(ada, f"posts/{written.pk}/comments", body)
        assert (answer.status_code, answer.json()["state"]) == (202, "held")


@pytest.mark.parametrize("kind", ["text", "question", "link"])
def test_program_learns_that_a_post_waits_and_can_read_it(
    ask: Ask, ada: User, bob: User, kind: str
) -> None:
    rule()
    groups("books")
    form = {"kind": kind, "title": "My casino", "text": "Come.", "groups": ["books"]}
    answer = ask(ada, "posts", form | ({"link": "https://example.org"} if kind == "link" else {}))
    assert (answer.status_code, answer.json()["state"]) == (202, "held")
    path = f"posts/{answer.json()['id']}"
    assert ask(ada, path).json() == answer.json()
    assert ask(bob, path).status_code == 410


def test_program_learns_that_an_edit_hides_a_text(ask: Ask, ada: User) -> None:
    rule()
    written = post(ada)
    comment = add_comment(ada, post(ada, "Another"))
    for path in (f"posts/{written.pk}", f"comments/{comment.pk}"):
        answer = ask(ada, f"{path}/edit", {"text": "My casino"})
        assert (answer.status_code, answer.json()["state"]) == (202, "hidden"), path
        assert ask(ada, path).json()["notice"] == "Hidden until a moderator decides."


def test_flagged_text_is_published_at_once(ask: Ask, ada: User) -> None:
    rule(Rule.Effect.FLAG)
    answer = ask(ada, f"posts/{post(ada).pk}/comments", {"text": "My casino"})
    assert (answer.status_code, answer.json()["state"]) == (200, "published")


def test_authors_read_what_moderators_removed_and_others_do_not(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    written, thread = post(ada), post(bob)
    comment = add_comment(ada, thread)
    for text in (written, comment):
        removals.remove(text, by=stella, reason="spam")
    for path in (f"posts/{written.pk}", f"comments/{comment.pk}"):
        answer = ask(ada, path).json()
        assert (answer["state"], answer["notice"]) == ("removed", "Removed by moderators: spam")
        assert answer["text"]
        assert ask(ada, path, scopes=["write"]).status_code == 410
        assert ask(bob, path).status_code == 410
        assert ask(None, path).status_code == 410
        assert ask(stella, path).status_code == 410
        assert ask(stella, path, scopes=["read", "moderate"]).json()["state"] == "removed"


def test_authors_do_not_read_what_they_deleted(ask: Ask, ada: User) -> None:
    written = post(ada)
    comment = add_comment(ada, post(ada, "Another"))
    ask(ada, f"posts/{written.pk}/delete", {})
    ask(ada, f"comments/{comment.pk}/delete", {})
    assert ask(ada, f"posts/{written.pk}").status_code == 410
    assert ask(ada, f"comments/{comment.pk}").status_code == 410
    assert Post.objects.get(pk=written.pk).deleted_at


def test_deleted_comment_with_replies_still_says_which_comment_it_answered(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    written = post(bob)
    top = add_comment(ada, written, "Top.")
    middle = add_comment(ada, written, "Middle.", top)
    low = add_comment(bob, written, "Low.", middle)
    comment_actions.delete(middle, ada)
    found = ask(None, f"comments/{ask(None, f'comments/{low.pk}').json()['parent']}").json()
    assert (found["id"], found["parent"], found["post"]) == (middle.pk, top.pk, written.pk)
    assert (found["state"], found["notice"]) == ("deleted", "This comment was deleted.")
    assert (found["author"], found["text"], found["html"]) == ("", "", "")
    removals.remove(top, by=stella, reason="spam")
    found = ask(bob, f"comments/{top.pk}").json()
    assert (found["state"], found["parent"], found["text"]) == ("removed", None, "")
    assert found["notice"] == "Removed by moderators: spam"
    assert ask(ada, f"comments/{top.pk}").json()["text"] == "Top."
    comment_actions.delete(low, bob)
    for gone in (middle, low):
        assert ask(None, f"comments/{gone.pk}").status_code == 410
