"""No copy of a text stays after its author's account is deleted, or after it is too old."""

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.test import Client
from django.utils import timezone
from redis import Redis

from forum.actions import comments, drafts, posts, retention, staff_log, visibility
from forum.actions.notices import conversation_with
from forum.errors import Forbidden
from forum.models import Flag, Message, ModAction, Post, Revision, User, Withheld
from forum.moderation.actions import merges, removals, undo
from forum.moderation.flags import services as flags
from forum.operations.repair.check import differences
from tests.forum.comments import add_comment
from tests.forum.erasing import do_all_steps, erase
from tests.forum.factories import groups, person_with_email, post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)
WORD = "quagga"
"""A word that every text of Eve contains."""


@pytest.fixture
def eve() -> User:
    return person_with_email("evelyn", about=f"I am a {WORD}.")


def in_sql() -> list[str]:
    """Return the tables that contain WORD."""
    models: list[type[Model]] = list(apps.get_models(include_auto_created=True))
    rows = {one._meta.label: list(one._default_manager.values()) for one in models}
    return [label for label, some in rows.items() if WORD in json.dumps(some, default=str).lower()]


def in_redis() -> list[str]:
    """Return the Redis keys whose values contain WORD."""
    client = Redis.from_url(settings.REDIS_URL)
    return [key.decode() for key in client.scan_iter() if WORD in _value(client, key).lower()]


def _value(client: Any, key: bytes) -> str:
    read = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"set": client.smembers,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"zset": lambda key: client.zrange(key, 0, -1),
        b"stream": client.xrange,
    }
    return str(read[client.type(key)](key))


def edit(text: Post, by: User, body: str) -> None:
    """Change the text of a post, as its author or a moderator."""
    posts.edit(text, by=by, title=text.title, body=body, groups=list(text.groups.all()), reason="x")


def test_nothing_is_left_of_removed_texts(eve: User, bob: User, root: User, admin: Client) -> None:
    made, his = post(eve, f"A {WORD}", body=f"My {WORD}"), post(bob, "His")
    edit(made, eve, f"Another {WORD}")
    edit(made, root, "Corrected.")
    url = f"https://example.net/{WORD}"
    merged = post(eve, f"Merged {WORD}", kind="link", url=url, body=WORD)
    merges.merge(merged, his, by=root, reason="same")
    comment = add_comment(eve, his, f"No {WORD}")
    comments.edit(comment, by=eve, body=f"Still a {WORD}")
    add_comment(bob, his, "A reply", comment)
    held, removed = post(eve, f"Held {WORD}"), post(eve, f"Removed {WORD}")
    visibility.withhold(held, Withheld.HELD)
    removals.remove(removed, by=root, reason="spam")
    removals.remove(add_comment(eve, his, f"Rude {WORD}"), by=root, reason="rude")
    flags.flag(his, by=eve, kind=Flag.Kind.OTHER, words=f"A {WORD}")
    talk = conversation_with(eve, None)
    Message.objects.create(conversation=talk, by=eve, from_moderators=False, body=WORD)
    drafts.store(
        author=eve,
        key=drafts.new_key(),
        target=drafts.DraftTarget(made),
        text=drafts.DraftText(body=WORD),
    )
    admin.post(f"/admin/forum/post/{made.pk}/pin/", {"place": ""})
    do_all_steps()
    for path in ("/new", made.get_absolute_url(), his.get_absolute_url(), f"/search?q={WORD}"):
        get_html(path)
    assert in_sql()
    assert in_redis()
    erase(eve, keeps_texts=False)
    assert in_sql() == []
    assert in_redis() == []
    for window in (reader(), reader(bob), admin):
        for path in ("/new", his.get_absolute_url(), "/modlog", "/inbox", "/new.atom"):
            assert WORD not in window.get(path, follow=True).content.decode().lower()
        assert window.get(f"/api/v1/search?q={WORD}").json()["items"] == []
    assert list(differences()) == []


def test_log_keeps_an_edit_without_the_earlier_text_if_texts_stay(eve: User, root: User) -> None:
    made = post(eve, "Books", body=f"My {WORD}")
    edit(made, root, "Corrected.")
    erase(eve)
    assert in_sql() == []
    action = ModAction.objects.get(kind=ModAction.Kind.EDIT)
    assert action.reason == "x"
    with pytest.raises(Forbidden):
        undo.undo(action, by=root)
    assert ">Undo</button>" not in get_html(action.get_absolute_url(), reader(root))
    assert "Corrected." in get_html(made.get_absolute_url())


def test_log_loses_the_earlier_text_with_the_revision(eve: User, root: User) -> None:
    made = post(eve, "Books", body=f"My {WORD}")
    edit(made, root, "Corrected.")
    User.objects.update(about="")
    for days, found in ((89, ["forum.ModAction", "forum.Revision"]), (91, [])):
        earlier = timezone.now() - timedelta(days=days)
        ModAction.objects.update(created_at=earlier)
        Revision.objects.update(until=earlier)
        retention.delete_texts()
        assert sorted(in_sql()) == found
    assert Post.objects.get(pk=made.pk).body == "Corrected."


def test_log_loses_the_earlier_text_with_a_deleted_post(eve: User, root: User) -> None:
    made = post(eve, "Books", body=f"My {WORD}")
    edit(made, root, "Corrected.")
    posts.delete(made, by=eve)
    User.objects.update(about="")
    Post.objects.update(deleted_at=timezone.now() - timedelta(days=91))
    do_all_steps()
    retention.delete_texts()
    assert in_sql() == []
    assert in_redis() == []


def test_move_can_be_undone_after_90_days(ada: User, root: User) -> None:
    made = post(ada, "Books")
    posts.regroup(made, groups("maths"), by=root, reason="x")
    action = ModAction.objects.get(kind=ModAction.Kind.EDIT)
    ModAction.objects.update(created_at=timezone.now() - timedelta(days=91))
    retention.delete_texts()
    undo.undo(action, by=root)
    assert [group.slug for group in made.groups.all()] == ["books"]
    assert Post.objects.get(pk=made.pk).title == "Books"


def test_post_stays_deleted_if_its_merge_is_undone(eve: User, bob: User, root: User) -> None:
    made, his = post(eve, f"A {WORD}"), post(bob, "His")
    merges.merge(made, his, by=root, reason="same")
    do_all_steps()
    erase(eve, keeps_texts=False)
    assert in_sql() == []
    undo.undo(ModAction.objects.get(kind=ModAction.Kind.MERGE), by=root)
    do_all_steps()
    assert reader().get(made.get_absolute_url()).status_code == 410
    assert Post.objects.get(pk=made.pk).deleted_at
    assert list(differences()) == []


def test_staff_log_loses_titles_and_addresses(eve: User, root: User, admin: Client) -> None:
    made = post(eve, f"A {WORD}")
    staff_log.changed(root, [made, add_comment(eve, made, WORD)], "Changed.")
    staff_log.changed(root, EmailAddress.objects.filter(user=eve), "Changed.")
    erase(eve, keeps_texts=False)
    names = set(LogEntry.objects.values_list("object_repr", flat=True))
    assert names == {"[deleted]"}
