"""Programs with a person's token act for that person, under the same rules as on the pages."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from forum.actions import marks, mutes
from forum.api import tokens
from forum.models import (
    ApiToken,
    Ban,
    Comment,
    Flag,
    GroupFollow,
    Mark,
    Mute,
    Post,
    User,
)
from forum.moderation.actions import removals, sanctions
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader, reauthenticated_reader
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)
ALL = ("read", "vote", "write", "moderate")
Send = Callable[..., Any]


@pytest.fixture
def send(client: Client, ada: User) -> Send:
    """Return a function that sends JSON with Ada's token, and returns the JSON of the response."""
    own = tokens.create(user=ada, name="Script", scopes=ALL)

    def ask(path: str, body: Any = None, status: int = 200, token: str = own) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        address = f"/api/v1/{path}"
        if body is None:
            answer = client.get(address, headers=headers)
        else:
            answer = client.post(address, body, content_type="application/json", headers=headers)
        assert answer.status_code == status, answer.content
        assert not answer.cookies
        return answer.json()

    return ask


def test_program_publishes_edits_and_deletes_a_post(send: Send, ada: User) -> None:
    groups("books")
    form = {"kind": "text", "title": "On bread", "text": "Knead *well*.", "groups": ["books"]}
    made = send("posts", form)
    assert (made["author"], made["html"]) == ("ada", "<p>Knead <em>well</em>.</p>\n")
    changed = send(f"posts/{made['id']}/edit", {"title": "On rye bread"})
    assert (changed["title"], changed["text"]) == ("On rye bread", "Knead *well*.")
    send(f"posts/{made['id']}/delete", {})
    assert Post.objects.get(pk=made["id"]).deleted_at
    send(f"posts/{made['id']}", status=410)


def test_forms_of_the_pages_check_what_programs_send(send: Send) -> None:
    groups("books")
    form = {"kind": "link", "title": "x", "link": "nonsense", "groups": ["boks"]}
    detail = send("posts", form, 422)["detail"]
    assert "title: The title must have at least" in detail
    assert "link: " in detail
    assert "groups: " in detail
    assert "title" in send("posts", {"kind": "text", "groups": []}, 422)["detail"]


def test_program_comments_replies_edits_and_deletes(send: Send, ada: User) -> None:
    written = post(person("bob"), "Bread")
    first = send(f"posts/{written.pk}/comments", {"text": "Which bread?"})
    reply = send(f"posts/{written.pk}/comments", {"text": "Rye.", "parent": first["id"]})
    assert (reply["parent"], reply["author"]) == (first["id"], "ada")
    assert send(f"comments/{reply['id']}/edit", {"text": "Wheat."})["html"] == "<p>Wheat.</p>\n"
    send(f"comments/{reply['id']}/delete", {})
    assert Comment.objects.visible().get().pk == first["id"]


def test_program_votes_and_takes_a_vote_back(send: Send) -> None:
    written = post(person("bob"), "Bread")
    comment = add_comment(person("cleo"), written)
    assert send(f"posts/{written.pk}/vote", {"vote": "up"}) == {
        "vote": 1,
        "counts_at": None,
        "points": 2,
        "up": 2,
        "down": 0,
    }
    assert send(f"posts/{written.pk}/vote", {"vote": "none"})["points"] == 1
    assert send(f"comments/{comment.pk}/vote", {"vote": "down"})["down"] == 1
    send(f"posts/{written.pk}/vote", {"vote": "sideways"}, 422)
    assert get_voting_service().posts.rows([written.pk])[0].up == 1


def test_program_saves_follows_and_flags(send: Send, ada: User) -> None:
    written, comment = post(person("bob"), "Bread"), None
    comment = add_comment(person("cleo"), written)
    send(f"posts/{written.pk}/save", {"on": True})
    send("people/bob/follow", {"on": True})
    send("groups/books/follow", {"on": True})
    send(f"comments/{comment.pk}/flag", {"kind": "spam"})
    assert Mark.objects.get().post == written
    assert ada.follows.get().person.username == "bob"
    assert GroupFollow.objects.get().group.slug == "books"
    assert Flag.objects.get().item.comment == comment


def test_program_sees_its_owners_votes_and_saved_posts(send: Send, ada: User) -> None:
    written = post(person("bob"), "Bread")
    comment = add_comment(person("cleo"), written)
    send(f"posts/{written.pk}/vote", {"vote": "down"})
    send(f"comments/{comment.pk}/vote", {"vote": "up"})
    send(f"posts/{written.pk}/save", {"on": True})
    (row,) = send("lists/hot")["items"]
    assert (row["vote"], row["saved"]) == (-1, True)
    assert send(f"posts/{written.pk}")["vote"] == -1
    assert send(f"posts/{written.pk}/comments")["items"][0]["vote"] == 1
    assert send("search?q=is:saved")["total"] == 1


def test_lists_leave_out_what_the_tokens_owner_hides_and_mutes(send: Send, ada: User) -> None:
    bob = person("bob")
    hidden, shown = post(bob, "Tea"), post(bob, "Bread")
    post(bob, "Some coffee")
    marks.hide(ada, hidden, True)
    mutes.mute(ada, Mute.Kind.WORD, "coffee")
    assert [row["id"] for row in send("lists/new")["items"]] == [shown.pk]
    assert send("search?q=coffee")["items"] == []


def test_program_reads_the_inbox(send: Send, ada: User) -> None:
    add_comment(person("bob"), post(ada, "Bread"), "Which bread?")
    (item,) = send("inbox")["items"]
    assert (item["kind"], item["person"], item["read"]) == ("reply", "bob", False)
    assert (item["sentence"], item["text"]) == ("bob replied to you", "Which bread?")
    assert item["url"].endswith(f"/c/{item['comment']}")
    send("inbox/read", {"item": item["id"]})
    assert send("inbox")["items"][0]["read"] is True


def test_inbox_does_not_name_the_moderator_who_wrote(send: Send, ada: User) -> None:
    moderator = person("stella", is_staff=True, is_superuser=True)
    comment = add_comment(ada, post(ada, "On bread"), "Pills")
    removals.remove(comment, by=moderator, reason="spam")
    (item,) = send("inbox")["items"]
    assert (item["kind"], item["person"]) == ("moderator", None)
    assert item["sentence"].startswith("Message from the moderators")
    assert item["url"]


def test_program_reads_corrects_and_sends_back_a_comment(send: Send, ada: User) -> None:
    written = post(person("bob"), "Bread")
    made = send(f"posts/{written.pk}/comments", {"text": "Teh *rye*"})
    (read,) = send(f"posts/{written.pk}/comments")["items"]
    assert read == made
    sent = {"text": read["text"].replace("Teh", "The")}
    assert send(f"comments/{made['id']}/edit", sent)["html"] == "<p>The <em>rye</em></p>\n"
    assert send("people/ada/comments")["items"][0]["text"] == "The *rye*"


def test_program_accepts_an_answer(send: Send, ada: User) -> None:
    question = post(ada, "Which bread?", kind="question")
    answer = add_comment(person("bob"), question, "Rye")
    remark = send(f"posts/{question.pk}/comments", {"text": "I mean flour.", "on_question": True})
    path = f"posts/{question.pk}/accept"
    send(path, {"comment": remark["id"]}, 404)
    send(path, {"comment": 999_999}, 404)
    send(path, {}, 422)
    send(path, {"comment": answer.pk})
    read = {one["id"]: one for one in send(f"posts/{question.pk}/comments")["items"]}
    assert (read[answer.pk]["answer"], read[answer.pk]["accepted"]) == (True, True)
    assert (read[remark["id"]]["answer"], read[remark["id"]]["accepted"]) == (False, False)
    assert send(f"posts/{question.pk}")["accepted_answer"] == answer.pk
    send(path, {"comment": None})
    assert send(f"comments/{answer.pk}")["accepted"] is False
    theirs = post(person("cleo"), "Which tea?", kind="question")
    reply = add_comment(person("dan"), theirs, "Green")
    send(f"posts/{theirs.pk}/accept", {"comment": reply.pk}, 403)
    send(f"posts/{post(ada).pk}/accept", {"comment": reply.pk}, 404)


def test_token_says_whose_it_is_and_what_it_may_do(send: Send, ada: User, settings: Any) -> None:
    settings.LIMITS_NEW = settings.LIMITS | {"comment": (Window(1, 5), Window(2, 60))}
    token = tokens.create(user=ada, name="My bot", scopes=["vote"])
    answer = send("me", token=token)
    assert (answer["name"], answer["token"], answer["scopes"]) == ("ada", "My bot", ["vote"])
    limits = [one for one in answer["limits"] if one["action"] == "comment"]
    assert [(one["times"], one["seconds"]) for one in limits] == [(1, 5), (2, 60)]
    send("me", status=401, token="nonsense")


def test_search_hits_have_ids(send: Send, ada: User) -> None:
    written = post(ada, "On bread")
    comment = add_comment(person("bob"), written, "Which bread?")
    found = {(hit["kind"], hit["id"], hit["post"]) for hit in send("search?q=bread")["items"]}
    assert found == {("post", written.pk, written.pk), ("comment", comment.pk, written.pk)}


def test_moderator_removes_bans_and_undoes(client: Client, send: Send) -> None:
    moderator = person("stella", is_staff=True, is_superuser=True)
    token = tokens.create(user=moderator, name="Bot", scopes=ALL)
    written = post(person("bob"), "Pills")
    body = {"action": "remove", "reason": "spam"}
    send(f"posts/{written.pk}/moderate", body, 403)
    send(f"posts/{written.pk}/moderate", {"action": "remove"}, 422, token)
    send(f"posts/{written.pk}/moderate", body, 200, token)
    written.refresh_from_db()
    assert written.withheld == "removed"
    send("people/bob/ban", {"days": 3, "reason": "spam"}, 200, token)
    assert Ban.objects.get().user.username == "bob"
    (action, *_rest) = (one for one in send("modlog")["items"] if one["kind"] == "remove")
    send(f"modlog/{action['id']}/undo", {}, 200, token)
    written.refresh_from_db()
    assert written.deleted_at is None


def test_scopes_limit_what_a_token_may_do(send: Send, ada: User) -> None:
    written = post(person("bob"), "Bread")
    reads = tokens.create(user=ada, name="Reader", scopes=["read"])
    votes = tokens.create(user=ada, name="Voter", scopes=["vote"])
    assert "vote" in send(f"posts/{written.pk}/vote", {"vote": "up"}, 403, reads)["detail"]
    send(f"posts/{written.pk}/vote", {"vote": "up"}, 200, votes)
    send("inbox", None, 403, votes)
    send("inbox", None, 200, reads)


def test_wrong_revoked_and_missing_tokens_are_refused(
    client: Client, send: Send, ada: User
) -> None:
    send("groups", None, 401, "nonsense")
    revoked = tokens.create(user=ada, name="Old", scopes=ALL)
    tokens.revoke(user=ada, token_id=ApiToken.objects.get(name="Old").pk)
    send("groups", None, 401, revoked)
    answer = client.get("/api/v1/inbox")
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    User.objects.filter(pk=ada.pk).update(is_active=False)
    send("groups", None, 401)


def test_tokens_of_disabled_accounts_are_refused(send: Send, ada: User) -> None:
    written = post(person("bob"), "Bread")
    send("lists/hot")
    ada.is_active = False
    ada.save()
    send("lists/hot", status=401)
    send(f"posts/{written.pk}/vote", {"vote": "up"}, 401)


def test_banned_people_and_limits_are_refused_as_on_the_pages(
    send: Send, ada: User, settings: Any
) -> None:
    written = post(person("bob"), "Bread")
    settings.LIMITS = settings.LIMITS | {"comment": (Window(1, 60),)}
    settings.LIMITS_NEW = settings.LIMITS
    send(f"posts/{written.pk}/comments", {"text": "One."})
    send(f"posts/{written.pk}/comments", {"text": "Two."}, 429)
    sanctions.ban(
        ada, None, by=person("stella", is_superuser=True, is_staff=True), reason="spam", until=None
    )
    assert "spam" in send(f"posts/{written.pk}/comments", {"text": "Three."}, 403)["detail"]
    assert "banned" in send(f"posts/{written.pk}/vote", {"vote": "up"}, 403)["detail"]


def test_people_create_and_revoke_tokens(ada: User) -> None:
    browser = reauthenticated_reader(ada)
    form = {"name": "My script", "scopes": ["read", "vote"]}
    page = browser.post("/preferences/tokens", form).content.decode()
    token = page.partition('id="token" readonly value="')[2].partition('"')[0]
    found = ApiToken.objects.get()
    assert (found.name, found.scopes) == ("My script", ["read", "vote"])
    page = browser.get("/preferences/tokens").content.decode()
    assert "My script" in page
    assert token not in page
    assert browser.post("/preferences/tokens", {"name": ""}).status_code == 422
    reader(person("bob")).post(f"/preferences/tokens/{found.pk}/revoke")
    assert tokens.find(token)
    browser.post(f"/preferences/tokens/{found.pk}/revoke")
    assert tokens.find(token) is None


def test_form_for_a_token_is_empty_after_creating_it(ada: User) -> None:
    form = {"name": "My script", "scopes": ["vote"], "last_day": ""}
    page = reauthenticated_reader(ada).post("/preferences/tokens", form).content.decode()
    assert 'name="name" maxlength' in page
    assert 'value="My script"' not in page
    assert 'value="vote" id="id_scopes_1" checked' not in page


def test_only_moderators_are_offered_tokens_that_moderate(ada: User, gus: User) -> None:
    for user, offered in ((ada, False), (gus, True)):
        page = reader(user).get("/preferences/tokens").content.decode()
        assert ('value="moderate"' in page) is offered


def at(moment: datetime) -> Any:
    return patch("django.utils.timezone.now", return_value=moment)


def test_token_stops_working_after_its_last_day(send: Send, ada: User) -> None:
    today = timezone.now().date()
    form = {"name": "Trial", "scopes": ["read"], "last_day": today.isoformat()}
    page = reauthenticated_reader(ada).post("/preferences/tokens", form).content.decode()
    token = page.partition('id="token" readonly value="')[2].partition('"')[0]
    assert "works until" in page
    midnight = datetime.combine(today + timedelta(days=1), time(), UTC)
    assert send("me", token=token)["ends_at"] == f"{midnight:%Y-%m-%dT%H:%M:%SZ}"
    with at(midnight - timedelta(seconds=1)):
        send("me", token=token)
    with at(midnight):
        assert "has ended" in send("me", token=token, status=401)["detail"]
        assert tokens.find(token) is None
        assert "ended after" in reader(ada).get("/preferences/tokens").content.decode()


@pytest.mark.parametrize("day", ["2020-01-01", "9999-12-31", "soon"])
def test_last_day_of_a_token_is_a_day_within_ten_years(ada: User, day: str) -> None:
    form = {"name": "Trial", "scopes": ["read"], "last_day": day}
    assert reauthenticated_reader(ada).post("/preferences/tokens", form).status_code == 422
    assert not ApiToken.objects.exists()
