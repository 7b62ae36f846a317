"""Wherever people read the name of a deleted account, it is "[deleted]"."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from forum.actions.notices import conversation_with
from forum.api import tokens
from forum.models import (
    Application,
    Flag,
    Invitation,
    Message,
    ModAction,
    Post,
    QueueItem,
    User,
    VoteSign,
)
from forum.moderation.actions import removals, sanctions
from forum.moderation.flags import services as flags
from tests.forum.comments import add_comment
from tests.forum.erasing import erase
from tests.forum.factories import person_with_email, post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime.now(UTC)
READ = (
    *("/", "/new", "/comments", "/g/books/", "/leaders", "/search?q=her", "/modlog", "/inbox"),
    *("/invitations", "/invitations/tree", "/u/bob/invited", "/g/books/moderators"),
    *("/flags", "/preferences/notes", "/conversations"),
)
FEEDS = ("/new.atom", "/comments.atom", "/modlog.atom", "/search.atom?q=her")
MODERATED = ("/moderation", "/moderation/conversations", "/moderation/votes")
API = (
    *(
        "lists/new",
        "groups/books/lists/new",
        "comments",
        "modlog",
        "inbox",
        "queue",
        "search?q=her",
    ),
    *("queue", "queue?decided=true", "people/bob/comments", "leaders"),
)


@pytest.fixture
def eve(ada: User, bob: User, root: User) -> User:
    """Eve, who wrote, flagged, moderated and was invited before her account was deleted."""
    eve = person_with_email("evelyn", is_staff=True)
    hers, his = post(eve, "Hers", body="Her words"), post(bob, "His", body="About her")
    comment = add_comment(eve, his, "Her comment")
    add_comment(ada, his, "A reply", comment)
    removals.remove(post(ada, "Bad"), by=eve, reason="spam")
    removals.remove(add_comment(eve, his, "Rude words"), by=root, reason="rude")
    flags.flag(his, by=eve, kind=Flag.Kind.SPAM, words="")
    for target in (hers, comment, eve):
        flags.flag(target, by=bob, kind=Flag.Kind.SPAM, words="")
    for someone, is_own in ((eve, True), (bob, False)):
        talk = conversation_with(someone, None)
        Message.objects.create(conversation=talk, by=eve, from_moderators=not is_own, body="Hi")
    Application.objects.create(user=eve, answer="I like books.", accepted=True)
    kind = QueueItem.Kind.APPLICATION
    QueueItem.objects.create(kind=kind, person=eve, decided_at=NOW, decided_by=root)
    Invitation.objects.create(code="a", by=root, used_by=eve)
    Invitation.objects.create(code="b", by=eve, used_by=bob)
    for sign in ("down", "sign_ups"):
        spanning = {"since": NOW, "until": NOW, "accounts": 2, "votes": 3}
        VoteSign.objects.create(kind=sign, person=eve, people=[eve.pk, bob.pk], **spanning)
    User.objects.filter(pk=eve.pk).update(is_staff=False)
    sanctions.ban(eve, None, by=root, reason="spam", until=None)
    erase(eve)
    return eve


def paths_of(*things: Any) -> list[str]:
    return [one.get_absolute_url() for one in things]


def assert_unnamed(html: str, eve: User) -> None:
    assert "evelyn" not in html
    assert f">{eve.username}" not in html
    assert f" {eve.username}" not in html
    assert "/u/[" not in html
    assert "/u/%5B" not in html
    assert "/people/[" not in html


def test_members_and_guests_read_deleted(eve: User, bob: User, root: User) -> None:
    his, hers = Post.objects.get(title="His"), Post.objects.get(title="Hers")
    own = [f"/p/{his.pk}.atom", *paths_of(his, hers, *ModAction.objects.all())]
    for window in (reader(), reader(bob), reader(root)):
        for path in (*READ, *FEEDS, *own):
            assert_unnamed(window.get(path, follow=True).content.decode(), eve)
    assert "[deleted] replied to you" in get_html("/inbox", reader(bob))
    assert "[deleted] has joined" in get_html("/invitations", reader(root)).replace(
        '<span class="author">[deleted]</span>', "[deleted]"
    )


def test_moderators_and_admins_read_deleted(eve: User, admin: Client) -> None:
    hers = Post.objects.get(title="Hers")
    items = [f"/moderation/items/{item.pk}" for item in QueueItem.objects.all()]
    talks = [f"/conversations/{message.conversation_id}" for message in Message.objects.all()]
    for path in (*MODERATED, *items, *talks, f"/p/{hers.pk}/moderate", f"/p/{hers.pk}/merge"):
        html = get_html(path, admin)
        assert "[deleted]" in html or "evelyn" not in html
        assert_unnamed(html, eve)
    models = ("user", "post", "comment", "modaction", "queueitem", "flag", "erasure")
    changes = [f"/admin/forum/flag/{flag.pk}/change/" for flag in Flag.objects.all()]
    changes += [f"/admin/forum/user/{eve.pk}/change/", f"/admin/forum/archivedvote/?q={eve.pk}"]
    for path in (*(f"/admin/forum/{name}/" for name in models), *changes):
        assert_unnamed(get_html(path, admin), eve)


def test_programs_read_deleted_in_every_language(eve: User, bob: User, root: User) -> None:
    his, hers = Post.objects.get(title="His"), Post.objects.get(title="Hers")
    token = tokens.create(user=root, name="reader", scopes=["read", "moderate"])
    window = reader(headers={"Authorization": f"Bearer {token}", "Accept-Language": "zh-Hans"})
    items = [f"queue/{item.pk}" for item in QueueItem.objects.all()]
    posts = [f"posts/{hers.pk}", f"posts/{his.pk}/comments"]
    found = {path: window.get(f"/api/v1/{path}") for path in (*API, *items, *posts)}
    for path, response in found.items():
        assert response.status_code == 200, path
        assert_unnamed(response.content.decode().replace('"', " "), eve)
    assert found[f"posts/{hers.pk}"].json()["author"] == "[deleted]"
    for path in ("lists/new", "comments", "search?q=her"):
        assert "[deleted]" in {one["author"] for one in found[path].json()["items"]}
    assert "[deleted]" in {one["person"] for one in found["modlog"].json()["items"]}
    assert "[deleted]" in {one["author"] for one in found["queue"].json()["items"]}
    stories = window.get("/newest.json").json()
    assert "[deleted]" in {one["submitter_user"] for one in stories}
    (comment, *_rest) = window.get(f"/s/{his.pk}.json").json()["comments"]
    assert comment["commenting_user"] == "[deleted]"


def test_inbox_of_programs_names_nobody(eve: User, bob: User) -> None:
    token = tokens.create(user=bob, name="reader", scopes=["read"])
    items = reader(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/inbox").json()
    assert {one["person"] for one in items["items"]} >= {"[deleted]"}


def test_addresses_of_the_account_lead_nowhere(eve: User, admin: Client) -> None:
    for name in ("evelyn", eve.username, "[deleted]"):
        pages = ("", "comments", "follows", "fans", "invited", "feed.atom", "note", "flag")
        paths = [f"/u/{name}/{page}" for page in pages]
        paths += [f"/api/v1/people/{name}", f"/api/v1/people/{name}/comments"]
        for path in (*paths, f"/moderation/people/{name}"):
            assert admin.get(path).status_code == 404, path
