"""Reply emails and digests go only to subscribers, never twice, and have an unsubscribe link."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from threading import Event
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import mail_queue
from forum.actions import posts as post_actions
from forum.models import FailedMail, InboxItem, OutboxItem, Post, User
from forum.operations.health.exposition import exposition
from tests.forum.concurrency import after_query, run_at_once
from tests.forum.factories import person, person_with_email, post, reader
from tests.forum.outages import failing_sql, redis_down
from tests.forum.pages import get_html
from tests.forum.test_worker import Working
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


class Broken(BaseEmailBackend):
    """A mail server that closes the connection."""

    def send_messages(self, email_messages: Any) -> int:
        raise SMTPServerDisconnected("bye")


class Refusing(BaseEmailBackend):
    """A mail server that refuses the recipient's address as unknown."""

    def send_messages(self, email_messages: Any) -> int:
        raise SMTPRecipientsRefused({"ada@example.org": (550, b"no such user")})


class Hesitating(BaseEmailBackend):
    """A mail server with a greylist, which asks unknown senders to try again later."""

    def send_messages(self, email_messages: Any) -> int:
        raise SMTPRecipientsRefused({"ada@example.org": (450, b"try again later")})


class Deadly(BaseEmailBackend):
    """A mail server during whose answer the worker is killed."""

    def send_messages(self, email_messages: Any) -> int:
        raise SystemExit


@pytest.fixture
def ada() -> User:
    """Ada, who wants email about replies."""
    return person_with_email("ada", mails_replies=True)


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, title="Bread & butter")


def reply(author: User, about: Post, body: str = "Needs <salt>.") -> Any:
    return comment_actions.write(author=author, post=about, parent=None, body=body)


def work() -> list[EmailMessage]:
    """Send all waiting email, as the worker does; return all email sent so far."""
    mail_queue.send_waiting(Event())
    return mail.outbox


def wants(user: User, digest: str, **ago: int) -> None:
    """Subscribe a person to digests. `ago`, such as `days=1`, is the age of the last digest."""
    user.digest, user.digest_at = digest, timezone.now() - timedelta(**ago)
    user.save()


def test_reply_is_emailed_to_subscribers(ada: User, bob: User, written: Post) -> None:
    comment = reply(bob, written)
    (sent,) = work()
    assert sent.to == ["ada@example.org"]
    assert sent.subject == "[Rostra] Bread & butter"
    assert sent.body.startswith("bob replied to you\n\n")
    assert "Needs <salt>." in sent.body
    assert f"http://localhost:8000{comment.get_absolute_url()}" in sent.body
    assert work() == [sent], "sent once"


def test_people_without_the_setting_or_an_address_get_no_email(bob: User, written: Post) -> None:
    quiet = person_with_email("quiet")
    homeless = person("homeless", mails_replies=True)
    for one in (quiet, homeless):
        reply(bob, post(one))
    assert work() == []


def test_mentions_and_watched_threads_send_no_email_by_default(ada: User, bob: User) -> None:
    other = post(person("cleo"))
    reply(ada, other)
    work().clear()
    reply(bob, other, "As @ada says.")
    assert work() == []


def test_a_deleted_reply_is_not_emailed(bob: User, written: Post) -> None:
    comment_actions.delete(reply(bob, written), by=bob)
    assert work() == []


def test_nothing_on_a_deleted_post_is_emailed(ada: User, bob: User, written: Post) -> None:
    wants(ada, "daily", days=2)
    reply(bob, written)
    post_actions.delete(written)
    mail_queue.enqueue_digests()
    assert work() == []


def test_a_deleted_comment_is_not_in_the_digest(ada: User, bob: User, written: Post) -> None:
    wants(ada, "daily", days=2)
    comment_actions.delete(reply(bob, written), by=bob)
    mail_queue.enqueue_digests()
    (sent,) = work()
    assert "bob" not in sent.body


def minutes_pass(minutes: float) -> None:
    """Let time pass for all waiting email."""
    OutboxItem.objects.update(due_at=F("due_at") - timedelta(minutes=minutes))


@pytest.mark.parametrize("server", ["Broken", "Hesitating"])
def test_email_is_tried_again_while_the_server_is_down_or_defers(
    server: str, settings: Any, bob: User, written: Post
) -> None:
    works, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, f"tests.forum.test_mail.{server}"
    reply(bob, written)
    for wait in (2, 4, 8, 16):
        work()
        settings.EMAIL_BACKEND = works
        minutes_pass(wait - 0.1)
        assert work() == [], "the email waits"
        assert not FailedMail.objects.exists()
        settings.EMAIL_BACKEND = f"tests.forum.test_mail.{server}"
        minutes_pass(0.1)
    settings.EMAIL_BACKEND = works
    assert len(work()) == 1
    assert not OutboxItem.objects.filter(kind="mail").exists()


def test_email_is_given_up_after_some_tries(settings: Any, bob: User, written: Post) -> None:
    settings.EMAIL_BACKEND = "tests.forum.test_mail.Broken"
    reply(bob, written)
    for _try in range(mail_queue.TRIES + 2):
        work()
        minutes_pass(16)
    failed = FailedMail.objects.get()
    assert failed.attempts == mail_queue.TRIES == 5
    assert failed.error == "SMTPServerDisconnected: bye"


def test_email_to_a_rejected_address_is_not_tried_again(
    settings: Any, bob: User, written: Post
) -> None:
    settings.EMAIL_BACKEND = "tests.forum.test_mail.Refusing"
    reply(bob, written)
    work()
    failed = FailedMail.objects.get()
    assert failed.attempts == 1
    assert "no such user" in failed.error


def test_staff_see_failed_email_for_a_week(
    settings: Any, root: User, ada: User, bob: User, written: Post
) -> None:
    settings.EMAIL_BACKEND = "tests.forum.test_mail.Refusing"
    reply(bob, written)
    work()
    window = reader(root)
    html = get_html("/admin/forum/failedmail/", window)
    assert f'<a href="/admin/forum/user/{ada.pk}/change/">ada</a>' in html
    assert "no such user" in html
    failed = FailedMail.objects.get()
    assert "comment_id" in get_html(f"/admin/forum/failedmail/{failed.pk}/change/", window)
    minutes_pass(7 * 24 * 60 - 1)
    mail_queue.forget()
    assert FailedMail.objects.exists()
    minutes_pass(1)
    mail_queue.forget()
    assert not FailedMail.objects.exists()


def test_email_is_not_sent_twice_if_the_worker_dies_after_sending_it(
    ada: User, bob: User, root: User, written: Post
) -> None:
    comment = reply(bob, written)
    reply(bob, post(person_with_email("cleo", mails_replies=True)))
    with failing_sql('DELETE FROM "forum_outboxitem"'), pytest.raises(OperationalError):
        work()
    assert [sent.to for sent in mail.outbox] == [["ada@example.org"]]
    minutes_pass(60)
    assert [sent.to[0] for sent in work()] == ["ada@example.org", "cleo@example.org"]
    failed = FailedMail.objects.get()
    assert failed.details["comment_id"] == comment.pk
    html = get_html("/admin/forum/failedmail/", reader(root))
    assert "The worker is sending this email, or stopped while sending it." in html


def test_attempt_is_recorded_before_the_email_is_sent(
    settings: Any, bob: User, written: Post
) -> None:
    settings.EMAIL_BACKEND = "tests.forum.test_mail.Deadly"
    reply(bob, written)
    with pytest.raises(SystemExit):
        work()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    minutes_pass(60)
    assert work() == [], "it may have been sent"
    assert FailedMail.objects.get().attempts == 1


def test_metrics_count_email_apart_from_other_changes(
    settings: Any, bob: User, written: Post
) -> None:
    settings.EMAIL_BACKEND = "tests.forum.test_mail.Refusing"
    reply(bob, written)
    work()
    reply(bob, written)
    others = OutboxItem.objects.exclude(kind="mail").count()
    figures = exposition().decode()
    for name, value in [("mail_waiting", 1), ("mail_failed", 1), ("outbox_waiting", others)]:
        assert f"rostra_{name} {float(value)}" in figures


def test_two_workers_send_each_email_once(ada: User, bob: User, written: Post) -> None:
    for number in range(4):
        reply(bob, written, f"Reply {number}")
    run_at_once(*[work] * 4)
    assert len(mail.outbox) == 4
    assert not OutboxItem.objects.filter(kind="mail").exists()


def test_email_that_can_not_be_made_does_not_stop_other_email(
    settings: Any, bob: User, written: Post
) -> None:
    reply(bob, post(person_with_email("cleo", mails_replies=True)))
    OutboxItem.objects.update(details={"mail": "newer", "user_id": 1})
    reply(bob, written)
    (sent,) = work()
    assert sent.to == ["ada@example.org"]
    assert "newer" in FailedMail.objects.get().error


def test_a_daily_digest_has_unread_items_and_the_best_posts(
    ada: User, bob: User, written: Post
) -> None:
    ada.mails_replies = False
    wants(ada, "daily", hours=25)
    reply(bob, written)
    assert mail_queue.enqueue_digests() == 1
    (sent,) = work()
    assert sent.subject == "[Rostra] Your daily digest"
    assert "- bob replied to you: Bread & butter" in sent.body
    assert "- Bread & butter (1 point, ada)" in sent.body


def test_a_digest_repeats_nothing(ada: User, bob: User, written: Post) -> None:
    ada.mails_replies = False
    wants(ada, "daily", hours=25)
    reply(bob, written)
    InboxItem.objects.update(created_at=timezone.now() - timedelta(hours=26))
    mail_queue.enqueue_digests()
    (sent,) = work()
    assert "bob" not in sent.body


def test_a_weekly_digest_waits_a_week(ada: User, written: Post) -> None:
    wants(ada, "weekly", days=6, hours=23)
    assert mail_queue.enqueue_digests() == 0
    wants(ada, "weekly", days=7)
    assert mail_queue.enqueue_digests() == 1
    assert work()[0].subject == "[Rostra] Your weekly digest"


def test_digests_are_sent_only_to_subscribers(ada: User, bob: User, written: Post) -> None:
    assert mail_queue.enqueue_digests() == 0
    wants(bob, "daily", days=9)
    assert mail_queue.enqueue_digests() == 0, "Bob has no address"


def test_many_workers_at_once_send_each_digest_once(ada: User, written: Post) -> None:
    wants(ada, "daily", days=3)
    assert sum(run_at_once(*[mail_queue.enqueue_digests] * 8)) == 1
    assert len(work()) == 1
    assert mail_queue.enqueue_digests() == 0


def test_a_worker_overtaken_by_another_sends_no_second_digest(ada: User, written: Post) -> None:
    wants(ada, "daily", days=3)
    with after_query("", mail_queue.enqueue_digests):
        assert mail_queue.enqueue_digests() == 0
    assert len(work()) == 1


def test_an_empty_digest_is_not_sent(ada: User) -> None:
    wants(ada, "daily", days=2)
    assert mail_queue.enqueue_digests() == 1
    assert work() == []


def test_digests_are_sent_while_redis_is_down(settings: Any, ada: User, written: Post) -> None:
    wants(ada, "daily", days=2)
    with redis_down(settings):
        mail_queue.enqueue_digests()
        assert "Bread & butter" in work()[0].body


@pytest.mark.parametrize("kind", ["replies", "digest"])
def test_one_click_unsubscribes_without_log_in_or_csrf_token(
    ada: User, bob: User, written: Post, kind: str
) -> None:
    wants(ada, "daily", days=2)
    if kind == "replies":
        reply(bob, written)
    else:
        mail_queue.enqueue_digests()
    (sent,) = work()
    headers = sent.extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = headers["List-Unsubscribe"].strip("<>")
    assert address in sent.body
    path = address.removeprefix("http://localhost:8000")
    guest = reader(enforce_csrf_checks=True)
    assert "Unsubscribe</button>" in guest.get(path).content.decode()
    ada.refresh_from_db()
    assert (ada.mails_replies, ada.digest) == (True, "daily"), "opening the page changes nothing"
    for _time in range(2):
        answer = guest.post(path, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
    ada.refresh_from_db()
    ended = {"replies": (False, "daily"), "digest": (True, "none")}
    assert (ada.mails_replies, ada.digest) == ended[kind]


def test_a_forged_link_unsubscribes_nobody() -> None:
    assert reader().post("/unsubscribe/WzEsInJlcGxpZXMiXQ:abc:def").status_code == 404


@pytest.mark.parametrize(
    "changed",
    [{"mails_replies": False, "digest": "none"}, {"is_active": False}],
    ids=["unsubscribed", "disabled"],
)
def test_queued_email_is_not_sent_to_people_who_unsubscribed_or_were_disabled(
    ada: User, bob: User, written: Post, changed: dict[str, Any]
) -> None:
    wants(ada, "daily", days=2)
    reply(bob, written)
    mail_queue.enqueue_digests()
    User.objects.filter(pk=ada.pk).update(**changed)
    assert work() == []
    assert not FailedMail.objects.exists()


def test_a_running_worker_sends_email(bob: User, written: Post) -> None:
    working = Working()
    working.thread.start()
    try:
        reply(bob, written)
        until(lambda: len(mail.outbox) == 1, "the email is sent")
    finally:
        working.stop()
