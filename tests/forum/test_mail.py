"""Reply emails and digests go only to subscribers, never twice, and have an unsubscribe link."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from threading import Event
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from forum.content import comment_service, post_service
from forum.inbox import mail_queue, mail_tasks
from forum.models import InboxItem, Post, User
from tests.forum.concurrency import after_query, run_at_once
from tests.forum.factories import person, person_with_email, post, reader
from tests.forum.outages import redis_down
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


@pytest.fixture
def ada() -> User:
    """Ada, who wants email about replies."""
    return person_with_email("ada", mails_replies=True)


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, title="Bread & butter")


def reply(author: User, about: Post, body: str = "Needs <salt>.") -> Any:
    return comment_service.write(author=author, post=about, parent=None, body=body)


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
    assert sent.subject == "[Rostra] bob replied to you: Bread & butter"
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
    comment_service.delete(reply(bob, written), by=bob)
    assert work() == []


def test_nothing_on_a_deleted_post_is_emailed(ada: User, bob: User, written: Post) -> None:
    wants(ada, "daily", days=2)
    reply(bob, written)
    post_service.delete(written)
    mail_tasks.enqueue_digests()
    assert work() == []


def test_a_deleted_comment_is_not_in_the_digest(ada: User, bob: User, written: Post) -> None:
    wants(ada, "daily", days=2)
    comment_service.delete(reply(bob, written), by=bob)
    mail_tasks.enqueue_digests()
    (sent,) = work()
    assert "bob" not in sent.body


@pytest.mark.parametrize("server", ["Broken", "Hesitating"])
def test_email_is_tried_again_while_the_server_is_down_or_defers(
    server: str, settings: Any, bob: User, written: Post
) -> None:
    settings.EMAIL_BACKEND = f"tests.forum.test_mail.{server}"
    reply(bob, written)
    work()
    later = DBTaskResult.objects.filter(status="READY", queue_name="default")
    assert later.count() == 1
    assert later.get().run_after > timezone.now() + timedelta(minutes=1)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    later.update(run_after=timezone.now())
    assert len(work()) == 1


def test_email_is_given_up_after_some_tries(settings: Any, bob: User, written: Post) -> None:
    settings.EMAIL_BACKEND = "tests.forum.test_mail.Broken"
    reply(bob, written)
    for _try in range(mail_tasks.TRIES + 2):
        DBTaskResult.objects.update(run_after=timezone.now())
        work()
    assert DBTaskResult.objects.filter(queue_name="default").count() == mail_tasks.TRIES
    assert DBTaskResult.objects.failed().count() == 1


def test_email_to_a_rejected_address_is_not_tried_again(
    settings: Any, bob: User, written: Post
) -> None:
    settings.EMAIL_BACKEND = "tests.forum.test_mail.Refusing"
    reply(bob, written)
    work()
    assert DBTaskResult.objects.filter(queue_name="default").count() == 1
    assert DBTaskResult.objects.failed().count() == 1, "for the admin to see"


def test_a_daily_digest_has_unread_items_and_the_best_posts(
    ada: User, bob: User, written: Post
) -> None:
    ada.mails_replies = False
    wants(ada, "daily", hours=25)
    reply(bob, written)
    assert mail_tasks.enqueue_digests() == 1
    (sent,) = work()
    assert sent.subject == "[Rostra] Your daily digest"
    assert "- bob replied to you: Bread & butter" in sent.body
    assert "- Bread & butter (1 point, ada)" in sent.body


def test_a_digest_repeats_nothing(ada: User, bob: User, written: Post) -> None:
    ada.mails_replies = False
    wants(ada, "daily", hours=25)
    reply(bob, written)
    InboxItem.objects.update(created_at=timezone.now() - timedelta(hours=26))
    mail_tasks.enqueue_digests()
    (sent,) = work()
    assert "bob" not in sent.body


def test_a_weekly_digest_waits_a_week(ada: User, written: Post) -> None:
    wants(ada, "weekly", days=6, hours=23)
    assert mail_tasks.enqueue_digests() == 0
    wants(ada, "weekly", days=7)
    assert mail_tasks.enqueue_digests() == 1
    assert work()[0].subject == "[Rostra] Your weekly digest"


def test_digests_are_sent_only_to_subscribers(ada: User, bob: User, written: Post) -> None:
    assert mail_tasks.enqueue_digests() == 0
    wants(bob, "daily", days=9)
    assert mail_tasks.enqueue_digests() == 0, "Bob has no address"


def test_many_workers_at_once_send_each_digest_once(ada: User, written: Post) -> None:
    wants(ada, "daily", days=3)
    assert sum(run_at_once(*[mail_tasks.enqueue_digests] * 8)) == 1
    assert len(work()) == 1
    assert mail_tasks.enqueue_digests() == 0


def test_a_worker_overtaken_by_another_sends_no_second_digest(ada: User, written: Post) -> None:
    wants(ada, "daily", days=3)
    with after_query("", mail_tasks.enqueue_digests):
        assert mail_tasks.enqueue_digests() == 0
    assert len(work()) == 1


def test_an_empty_digest_is_not_sent(ada: User) -> None:
    wants(ada, "daily", days=2)
    assert mail_tasks.enqueue_digests() == 1
    assert work() == []


def test_digests_are_sent_while_redis_is_down(settings: Any, ada: User, written: Post) -> None:
    wants(ada, "daily", days=2)
    with redis_down(settings):
        mail_tasks.enqueue_digests()
        assert "Bread & butter" in work()[0].body


@pytest.mark.parametrize("kind", ["replies", "digest"])
def test_one_click_unsubscribes_without_log_in_or_csrf_token(
    ada: User, bob: User, written: Post, kind: str
) -> None:
    wants(ada, "daily", days=2)
    if kind == "replies":
        reply(bob, written)
    else:
        mail_tasks.enqueue_digests()
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
    mail_tasks.enqueue_digests()
    User.objects.filter(pk=ada.pk).update(**changed)
    assert work() == []
    assert not DBTaskResult.objects.failed().exists()


def test_a_running_worker_sends_email(bob: User, written: Post) -> None:
    working = Working()
    working.thread.start()
    try:
        reply(bob, written)
        until(lambda: len(mail.outbox) == 1, "the email is sent")
    finally:
        working.stop()


@pytest.mark.long
def test_a_task_that_breaks_does_not_stop_other_email(bob: User, written: Post) -> None:
    """The broken task is in a queue that only a newer version of the site knows."""
    working = Working()
    reply(bob, post(person_with_email("cleo", mails_replies=True)))
    DBTaskResult.objects.update(queue_name="newer")
    reply(bob, written)
    working.thread.start()
    try:
        (sent,) = until(lambda: mail.outbox, "the next email is sent")
        assert sent.to == ["ada@example.org"]
    finally:
        working.stop()
