"""People take along all that the site stores about them."""

import json
from datetime import timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone

from forum.actions import data_exports, drafts, posts, security_log
from forum.actions.notices import conversation_with
from forum.models import (
    Application,
    DataExport,
    InboxItem,
    Mark,
    Message,
    PersonFollow,
    PersonNote,
    SecurityEvent,
    User,
)
from forum.moderation.actions import removals
from forum.store import outbox
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import (
    person_with_email,
    post,
    reader,
    reauthenticated_reader,
)
from tests.forum.past_posts import archive_all
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)
PAGE, FILE = "/preferences/data", "/preferences/data/my-data.zip"
NOT_THEIRS = {
    "forum.AccountNetwork.person": "hashes that only moderation can use, for 30 days",
    "forum.VoteSign.person": "worked out by the site again every ten minutes",
    "admin.LogEntry.user": "what staff did is a record of the site",
    "account.EmailConfirmation.email_address": "a link that works for a short time",
    "forum.Ban.user": "a decision of moderators; its notice is among the messages",
    "forum.Block.blocked": "who blocked them is the others' secret",
    "forum.Conversation.user": "its messages are exported",
    "forum.DataExport.user": "the export itself",
    "forum.Erasure.by": "what staff did is a record of the site",
    "forum.Erasure.user": "there is none while somebody can log in",
    "forum.FeedKey.user": "a hash",
    "forum.InboxItem.actor": "in the inbox of others",
    "forum.Invitation.used_by": "who invited them",
    "forum.LogPlace.by": "the moderation log is public",
    "forum.Message.by": "the messages are exported by conversation",
    "forum.ModAction.by": "the moderation log is public",
    "forum.ModAction.person": "the moderation log is public",
    "forum.ModAction.undone_by": "the moderation log is public",
    "forum.ModNote.by": "a note for moderators only",
    "forum.ModNote.user": "a note for moderators only",
    "forum.PersonNote.person": "a note of somebody else",
    "forum.QueueItem.decided_by": "a decision of moderators",
    "forum.QueueItem.person": "what moderators decide about",
    "forum.Revision.by": "a moderator's edit of somebody else's post",
    "forum.Rule.created_by": "a setting of the site",
    "forum.SecurityEvent.by": "what staff did is a record of the site",
    "forum.User_groups.user": "a role of staff",
    "forum.User_user_permissions.user": "a role of staff",
    "socialaccount.SocialToken.account": "tokens of providers aren't stored",
}
"""References to people that an export leaves out, and why."""


def exported(person: User, window: Client | None = None) -> ZipFile:
    """Ask for an export as the person does, let the worker write it, and download it."""
    window = window or reauthenticated_reader(person)
    assert window.post(PAGE)["Location"] == PAGE
    outbox.repeat(in_background=True)
    return ZipFile(BytesIO(window.get(FILE).content))


def rows(archive: ZipFile, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(archive.read(f"{name}.json"))
    return found


def test_person_gets_everything_as_json(ada: User, bob: User) -> None:
    own, theirs = post(ada, "Mine", body="My *text*."), post(bob, "Theirs")
    comment = add_comment(ada, theirs, "My comment.")
    now = timezone.now()
    get_voting_service().votes.cast(ada.pk, Target(theirs.pk), Vote.UP)
    archive_all()
    Mark.objects.create(user=ada, post=theirs, kind=Mark.Kind.SAVED, at=now)
    Mark.objects.create(user=ada, post=own, kind=Mark.Kind.HIDDEN, at=now)
    PersonFollow.objects.create(follower=ada, person=bob, at=now)
    PersonNote.objects.create(user=ada, person=bob, label="kind", note="Helped me.", at=now)
    InboxItem.objects.create(user=ada, kind="follower", actor=bob, created_at=now)
    talk = conversation_with(ada, None)
    Message.objects.create(conversation=talk, by=ada, from_moderators=False, body="Hello?")
    text = drafts.DraftText(title="Not yet", body="Half a thought")
    drafts.store(author=ada, key=drafts.new_key(), target=drafts.DraftTarget(), text=text)
    security_log.record(SecurityEvent.Kind.LOG_IN, person_id=ada.pk)
    archive = exported(ada)
    assert rows(archive, "account")[0]["username"] == "ada"
    assert rows(archive, "account")[0]["settings"]["watches_own"] is True
    (shown,) = rows(archive, "posts")
    assert (shown["title"], shown["body"], shown["groups"]) == ("Mine", "My *text*.", ["books"])
    assert [row["id"] for row in rows(archive, "comments")] == [comment.pk]
    assert {row["post_id"] for row in rows(archive, "votes")} == {own.pk, theirs.pk}
    assert [row["post_title"] for row in rows(archive, "saved")] == ["Theirs"]
    assert [row["post_title"] for row in rows(archive, "hidden")] == ["Mine"]
    assert [row["person"] for row in rows(archive, "follows")] == ["bob"]
    assert rows(archive, "notes")[0]["note"] == "Helped me."
    assert rows(archive, "inbox")[0]["sentence"] == "bob follows you"
    assert [row["body"] for row in rows(archive, "messages")] == ["Hello?"]
    assert [row["title"] for row in rows(archive, "drafts")] == ["Not yet"]
    assert "login" in {row["kind"] for row in rows(archive, "security_log")}


def test_texts_are_there_as_markdown_too(ada: User) -> None:
    made = post(ada, "Mine", body="My *text*.")
    add_comment(ada, made, "And **more**.")
    archive = exported(ada)
    assert "# Mine" in archive.read("posts.md").decode()
    assert "My *text*." in archive.read("posts.md").decode()
    assert "And **more**." in archive.read("comments.md").decode()


def test_export_has_nothing_of_others(ada: User, bob: User) -> None:
    post(bob, "Theirs", body="Bob's words")
    archive = exported(ada)
    everything = b"".join(map(archive.read, archive.namelist()))
    assert b"Bob's words" not in everything
    assert rows(archive, "posts") == []


def test_titles_that_others_deleted_are_left_out(ada: User, bob: User) -> None:
    theirs = post(bob, "Regretted")
    add_comment(ada, theirs, "My comment.")
    Mark.objects.create(user=ada, post=theirs, kind=Mark.Kind.SAVED, at=timezone.now())
    posts.delete(theirs, by=bob)
    archive = exported(ada)
    assert b"Regretted" not in b"".join(map(archive.read, archive.namelist()))


def test_person_gets_notices_sessions_activity_and_application(ada: User, root: User) -> None:
    removals.remove(post(ada, "Mine"), by=root, reason="spam")
    Application.objects.create(user=ada, answer="I like books.", accepted=True)
    window = reauthenticated_reader(ada)
    seen = post(root, "Seen")
    window.get(seen.get_absolute_url())
    archive = exported(ada, window)
    assert [row["post_id"] for row in rows(archive, "viewed")] == [seen.pk]
    assert [row["day"] for row in rows(archive, "active_days")] == [f"{timezone.now():%Y-%m-%d}"]
    assert "Reason: spam" in rows(archive, "messages")[0]["body"]
    assert "Reason: spam" in archive.read("messages.md").decode()
    assert rows(archive, "application")[0]["answer"] == "I like books."
    assert set(rows(archive, "sessions")[0]) >= {"browser", "network", "used_at"}
    assert b"root" not in b"".join(map(archive.read, archive.namelist()))


def test_moderators_stay_unnamed(ada: User, root: User) -> None:
    talk = conversation_with(ada, None)
    Message.objects.create(conversation=talk, by=root, from_moderators=True, body="Welcome")
    archive = exported(ada)
    assert b"Welcome" in archive.read("messages.json")
    assert b"root" not in b"".join(map(archive.read, archive.namelist()))


def test_every_table_about_people_is_exported_or_has_a_reason() -> None:
    """A new table that refers to people must be in `SECTIONS` or in NOT_THEIRS."""
    text = (settings.BASE_DIR / "forum/actions/own_data.py").read_text()
    missing = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_fields
        if field.related_model is User and f"{model.__name__}.objects" not in text
    }
    assert missing <= NOT_THEIRS.keys()


def test_nobody_else_can_fetch_it(ada: User, bob: User, root: User) -> None:
    exported(ada)
    assert reauthenticated_reader(bob).get(FILE).status_code == 404
    assert reauthenticated_reader(root).get(FILE).status_code == 404
    assert reader().get(FILE).status_code == 302


def test_password_is_asked_for_again(ada: User) -> None:
    window = reader(ada)
    assert "/accounts/reauthenticate/" in window.post(PAGE)["Location"]
    assert not DataExport.objects.exists()
    exported(ada)
    assert "/accounts/reauthenticate/" in window.get(FILE)["Location"]


def test_it_ends_after_a_day(ada: User) -> None:
    window = reauthenticated_reader(ada)
    exported(ada, window)
    assert "Your copy is ready." in window.get(PAGE).content.decode()
    data_exports.delete_old()
    assert DataExport.objects.exists()
    DataExport.objects.update(ready_at=timezone.now() - timedelta(days=1))
    assert window.get(FILE).status_code == 404
    assert "Your copy is ready." not in window.get(PAGE).content.decode()
    data_exports.delete_old()
    assert not DataExport.objects.exists()


def test_asking_again_while_it_is_made_changes_nothing(ada: User) -> None:
    window = reauthenticated_reader(ada)
    window.post(PAGE)
    html = window.post(PAGE, follow=True).content.decode()
    assert "The copy of your data is being made already." in html
    assert window.get(FILE).status_code == 404


def test_new_copy_replaces_the_old_one(ada: User) -> None:
    exported(ada)
    post(ada, "Later")
    assert [row["title"] for row in rows(exported(ada), "posts")] == ["Later"]


def test_person_gets_an_email_and_finds_it_in_the_security_log() -> None:
    eve = person_with_email("eve")
    exported(eve)
    (message,) = mail.outbox
    assert message.to == ["eve@example.org"]
    assert PAGE in message.body
    assert SecurityEvent.Kind.EXPORT in SecurityEvent.objects.values_list("kind", flat=True)
