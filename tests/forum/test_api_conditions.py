"""Programs write only what they mean: conditions come first, a repeat publishes nothing twice."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from forum.api import tokens
from forum.models import Comment, Flag, Mark, ModAction, Post, User
from forum.moderation.actions import threads
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post
from tests.forum.test_holds import rule
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)
Ask = Callable[..., Any]
POST = {"kind": "text", "title": "On bread", "text": "Knead.", "groups": ["books"]}


@pytest.fixture
def ask() -> Ask:
    """Return a function that sends a person's request to the API; a body makes it a POST."""

    def send(user: User, path: str, body: Any = None, *, scopes: Any = (), **headers: str) -> Any:
        groups("books")
        scopes = scopes or ("read", "vote", "write")
        token = tokens.create(user=user, name="Script", scopes=scopes)
        client = Client(headers={"Authorization": f"Bearer {token}"} | headers)
        if body is None:
            return client.get(f"/api/v1/{path}")
        return client.post(f"/api/v1/{path}", body, content_type="application/json")

    return send


@pytest.mark.parametrize(
    "condition",
    [{"If-Match": '"old"'}, {"If-Match": "old"}, {"If-None-Match": "*"}, {"If-Match": 'W/"old"'}],
)
def test_nothing_is_done_if_a_condition_is_not_met(
    ask: Ask, ada: User, condition: dict[str, str]
) -> None:
    mine, theirs = post(ada, "Mine"), post(person("bob"), "Theirs")
    comment, reply = add_comment(ada, mine, "Old"), add_comment(person("cleo"), mine)
    requests = {
        f"posts/{mine.pk}/edit": {"title": "New title"},
        f"comments/{comment.pk}/edit": {"text": "New"},
        f"posts/{theirs.pk}/vote": {"vote": "up"},
        f"comments/{reply.pk}/vote": {"vote": "up"},
        f"posts/{theirs.pk}/save": {"on": True},
        f"posts/{theirs.pk}/flag": {"kind": "spam"},
        f"posts/{theirs.pk}/comments": {"text": "Hello"},
        f"comments/{comment.pk}/delete": {},
        f"posts/{mine.pk}/delete": {},
    }
    for path, body in requests.items():
        answer = ask(ada, path, body, **condition)
        assert answer.status_code == 412, path
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["title"] == "Condition not met"
    titles = Post.objects.visible().order_by("pk").values_list("title", flat=True)
    assert list(titles) == ["Mine", "Theirs"]
    assert Comment.objects.get(pk=comment.pk).body == "Old"
    assert Comment.objects.visible().count() == 2
    assert not Mark.objects.exists()
    assert not Flag.objects.exists()
    assert ask(ada, f"posts/{theirs.pk}").json()["points"] == 1


def test_new_post_with_a_condition_on_an_old_one_is_refused(ask: Ask, ada: User) -> None:
    assert ask(ada, "posts", POST, **{"If-Match": '"old"'}).status_code == 412
    assert not Post.objects.exists()
    assert ask(ada, "posts", POST, **{"If-None-Match": "*"}).status_code == 200


@pytest.mark.parametrize("kind", ["post", "comment"])
def test_text_that_was_read_can_be_edited_until_somebody_changes_it(
    ask: Ask, ada: User, bob: User, kind: str
) -> None:
    written = post(ada, slugs="books crafts")
    text = written if kind == "post" else add_comment(ada, written)
    path = f"{kind}s/{text.pk}"
    tag = ask(ada, path)["ETag"]
    assert tag.startswith('"')
    ask(bob, f"{path}/vote", {"vote": "up"})
    changed = ask(ada, f"{path}/edit", {"text": "Newer"}, **{"If-Match": tag})
    assert changed.status_code == 200
    assert ask(ada, f"{path}/edit", {"text": "Newest"}, **{"If-Match": tag}).status_code == 412
    assert ask(ada, path).json()["text"] == "Newer"
    assert ask(ada, path, **{"If-None-Match": changed["ETag"]}).status_code == 304
    again = ask(ada, f"{path}/edit", {"text": "Last"}, **{"If-Match": f'"x", {changed["ETag"]}'})
    assert again.status_code == 200
    assert ask(ada, f"{path}/delete", {}, **{"If-Match": "*"}).status_code == 200


def test_reading_with_a_condition(ask: Ask, ada: User, bob: User) -> None:
    path = f"posts/{post(ada).pk}"
    first = ask(bob, path)
    tag = first["ETag"]
    same = ask(bob, path, **{"If-None-Match": tag})
    assert same.status_code == 304
    assert first["Cache-Control"] == same["Cache-Control"] == "private, no-cache"
    assert Client().get(f"/api/v1/{path}")["Cache-Control"] == "no-cache"
    ask(bob, f"{path}/vote", {"vote": "up"})
    assert ask(bob, path, **{"If-None-Match": tag}).status_code == 200
    answer = ask(bob, path, **{"If-Match": tag})
    assert (answer.status_code, answer["Content-Type"]) == (412, "application/problem+json")


@pytest.mark.parametrize("limit", [Window(100, 60), Window(1, 60)], ids=["repeat", "too fast"])
@pytest.mark.parametrize("is_held", [False, True])
def test_repeated_text_is_refused_with_the_first_ones_id_and_address(
    ask: Ask, ada: User, bob: User, settings: Any, limit: Window, is_held: bool
) -> None:
    settings.SAME_TEXT = 600
    settings.LIMITS = settings.LIMITS | {"post": (limit,), "comment": (limit,)}
    settings.LIMITS_NEW = settings.LIMITS
    if is_held:
        rule(words="bread")
    thread = post(bob)
    first = add_comment(bob, thread)
    requests = [("posts", POST), (f"posts/{thread.pk}/comments", {"text": "Rye bread"})]
    if limit.hits > 1:
        requests.append((f"posts/{thread.pk}/comments", {"text": "Bread?", "parent": first.pk}))
    for path, body in requests:
        made = ask(ada, path, body)
        assert made.status_code == (202 if is_held else 200)
        again = ask(ada, path, body)
        assert again.status_code == 409
        assert "Retry-After" not in again
        assert (again.json()["id"], again.json()["url"]) == (made.json()["id"], made.json()["url"])
    assert Post.objects.filter(author=ada).count() == 1


def test_other_text_may_be_sent_later(ask: Ask, ada: User, bob: User, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"comment": (Window(1, 60),)}
    settings.LIMITS_NEW = settings.LIMITS
    path = f"posts/{post(bob).pk}/comments"
    ask(ada, path, {"text": "One."})
    answer = ask(ada, path, {"text": "Two."})
    assert (answer.status_code, answer.has_header("Retry-After")) == (429, True)


def test_link_that_was_posted_before_is_refused_with_its_id_and_address(
    ask: Ask, ada: User, bob: User
) -> None:
    link = {"kind": "link", "title": "Bread", "link": "https://example.org/a", "groups": ["books"]}
    made = ask(ada, "posts", link).json()
    for who in (ada, bob):
        again = ask(who, "posts", link | {"title": "Another title"})
        assert again.status_code == 409
        assert (again.json()["id"], again.json()["url"]) == (made["id"], made["url"])
    other = ask(ada, "posts", link | {"link": "https://example.org/b"}).json()
    moved = ask(ada, f"posts/{other['id']}/edit", {"link": link["link"]})
    assert (moved.status_code, moved.json()["id"]) == (409, made["id"])


def test_what_is_safe_to_repeat_stays_safe(ask: Ask, ada: User, bob: User) -> None:
    theirs, mine = post(bob), post(ada)
    comment = add_comment(ada, mine)
    requests: dict[str, Any] = {
        f"posts/{theirs.pk}/vote": {"vote": "up"},
        f"posts/{theirs.pk}/save": {"on": True},
        "people/bob/follow": {"on": True},
        f"comments/{comment.pk}/delete": {},
    }
    for path, body in requests.items():
        first, again = ask(ada, path, body), ask(ada, path, body)
        assert (first.status_code, again.status_code) == (200, 200), path
        assert first.json() == again.json()


def test_moderators_token_needs_the_scope_moderate_for_the_texts_of_others(
    ask: Ask, bob: User, stella: User
) -> None:
    theirs, own = post(bob, "Bread"), post(stella, "Own")
    path, body = f"posts/{theirs.pk}/edit", {"title": "Better bread", "reason": "typo"}
    for scopes in (("write",), ("read", "write", "vote")):
        answer = ask(stella, path, body, scopes=scopes)
        assert answer.status_code == 403
        assert "moderate" in answer.json()["detail"]
        assert Post.objects.get(pk=theirs.pk).title == "Bread"
    assert ask(stella, path, body, scopes=["moderate"]).status_code == 200
    own_edit = {"title": "My own"}
    assert ask(stella, f"posts/{own.pk}/edit", own_edit, scopes=["moderate"]).status_code == 403
    assert ask(stella, f"posts/{own.pk}/edit", own_edit, scopes=["write"]).status_code == 200
    assert ask(bob, f"posts/{own.pk}/edit", own_edit, scopes=["moderate"]).status_code == 403


def test_moderators_token_needs_the_scope_moderate_to_write_in_a_locked_thread(
    ask: Ask, bob: User, stella: User
) -> None:
    thread = post(bob)
    threads.set_thread(thread, ModAction.Kind.LOCK, by=stella, reason="Enough")
    path, body = f"posts/{thread.pk}/comments", {"text": "Last word"}
    assert ask(stella, path, body, scopes=["write"]).status_code == 403
    assert ask(bob, path, body).status_code == 403
    assert not Comment.objects.exists()
    assert ask(stella, path, body, scopes=["write", "moderate"]).status_code == 200
