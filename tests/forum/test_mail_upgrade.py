"""Email that waits in the table of version 1.2 is sent after an upgrade, and never twice."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.models import Comment, FailedMail, OutboxItem, User
from tests.forum.factories import person_with_email, post
from tests.forum.worker_runs import run_worker

pytestmark = pytest.mark.django_db(transaction=True)
migration = import_module("forum.migrations.0004_mail_outbox")
AT_ONCE = datetime(9999, 1, 1, tzinfo=UTC)
"""The time that version 1.2 stored for an email that needn't wait."""


@pytest.fixture
def ada() -> User:
    """Ada, who wants email about everything."""
    return person_with_email("ada", mails_replies=True, mails_mentions=True, mails_watched=True)


@pytest.fixture
def reply(ada: User, bob: User) -> Comment:
    """A reply to Ada, about which no email waits yet."""
    comment = comment_actions.write(author=bob, post=post(ada), parent=None, body="Hello @ada")
    OutboxItem.objects.all().delete()
    return comment


@pytest.fixture
def old_apps() -> Iterator[Any]:
    """The models during the upgrade, and the table of version 1.2, until the upgrade drops it."""
    state = MigrationLoader(connection).project_state()
    migration.OLD_TASK.state_forwards("forum", state)
    with connection.schema_editor() as editor:
        editor.create_model(state.apps.get_model("forum", "OldTask"))
    yield state.apps
    assert migration.TABLE not in connection.introspection.table_names()


def upgrade(apps: Any) -> None:
    with connection.schema_editor() as editor:
        migration.move_mails(apps, editor)


def queue(apps: Any, task: str, *arguments: Any, **fields: Any) -> None:
    """Queue an email as version 1.2 did."""
    apps.get_model("forum", "OldTask").objects.create(
        id=uuid4(),
        task_path=f"forum.inbox.mail_tasks.{task}",
        args_kwargs={"args": arguments, "kwargs": {}},
        **{"status": "READY", "run_after": AT_ONCE, "enqueued_at": timezone.now()} | fields,
    )


def test_waiting_email_is_sent_after_the_upgrade(old_apps: Any, ada: User, reply: Comment) -> None:
    queue(old_apps, "send_reply", ada.pk, reply.pk)
    queue(old_apps, "send_mention", ada.pk, reply.post_id, reply.pk)
    queue(old_apps, "send_mention", ada.pk, reply.post_id, None)
    queue(old_apps, "send_watched", ada.pk, reply.pk)
    queue(old_apps, "send_watched", ada.pk, reply.pk, status="SUCCESSFUL")
    upgrade(old_apps)
    run_worker()
    mails = sorted((str(sent.subject), sent.body.partition("\n")[0]) for sent in mail.outbox)
    assert mails == [
        ("[Rostra] A title", "ada mentioned you"),
        ("[Rostra] A title", "bob commented in a thread you watch"),
        ("[Rostra] A title", "bob mentioned you"),
        ("[Rostra] A title", "bob replied to you"),
    ]
    assert not FailedMail.objects.exists()


def test_digest_and_message_that_wait_are_kept(old_apps: Any, ada: User) -> None:
    queue(old_apps, "send_digest", ada.pk, "2026-11-20T08:00:00+00:00")
    queue(old_apps, "send_message", ada.pk, 7)
    upgrade(old_apps)
    digest, message = OutboxItem.objects.order_by("details__mail")
    assert digest.details["since"] == "2026-11-20T08:00:00+00:00"
    assert message.details["message_id"] == 7
    run_worker()
    assert not OutboxItem.objects.filter(kind="mail").exists(), "there is nothing to say"


def test_email_that_failed_before_the_upgrade_waits_as_long_as_before(
    old_apps: Any, ada: User, reply: Comment
) -> None:
    later = timezone.now() + timedelta(minutes=8)
    queue(old_apps, "send_reply", ada.pk, reply.pk, 4, run_after=later)
    upgrade(old_apps)
    run_worker()
    assert mail.outbox == []
    waiting = OutboxItem.objects.get()
    assert (waiting.due_at, waiting.attempts) == (later, 3)


@pytest.mark.parametrize("status", ["RUNNING", "FAILED"])
def test_email_that_may_have_been_sent_or_was_refused_is_not_sent_again(
    old_apps: Any, ada: User, reply: Comment, status: str
) -> None:
    queue(old_apps, "send_reply", ada.pk, reply.pk, status=status, started_at=timezone.now())
    upgrade(old_apps)
    run_worker()
    assert mail.outbox == []
    assert FailedMail.objects.get().attempts == 1, "staff see it"


def test_site_without_the_old_table_is_upgraded() -> None:
    upgrade(MigrationLoader(connection).project_state().apps)
    assert not OutboxItem.objects.exists()
