"""Emails about mentions and watched threads go only to subscribers, in the reader's language."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMessage
from django.utils import timezone

from forum.actions import mail_queue
from forum.actions import posts as post_actions
from forum.models import User
from forum.moderation.conversations import services as conversations
from tests.forum.comments import add_comment
from tests.forum.factories import (
    OUR_PAGE,
    PASSWORD,
    groups,
    person,
    person_with_email,
    post,
    reader,
)
from tests.forum.worker_runs import run_worker

pytestmark = pytest.mark.django_db(transaction=True)
CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}


@pytest.fixture
def ada() -> User:
    """Ada, who wants email about everything."""
    return person_with_email("ada", mails_replies=True, mails_mentions=True, mails_watched=True)


def work() -> list[EmailMessage]:
    """Send all waiting email, as the worker does; return all email sent so far."""
    run_worker()
    return mail.outbox


def unsubscribe(sent: EmailMessage) -> str:
    """Follow the unsubscribe link of an email, confirm, and return the page's text."""
    path = sent.extra_headers["List-Unsubscribe"].strip("<>").removeprefix("http://localhost:8000")
    assert path in sent.body
    assert "?</p>" in reader().get(path).content.decode()
    return reader().post(path).content.decode()


def test_mentions_in_comments_are_emailed_until_unsubscribed(ada: User, bob: User) -> None:
    about = post(person("cleo"), "Bread & butter")
    comment = add_comment(bob, about, "As @ada says.")
    (sent,) = work()
    assert sent.subject == "[Rostra] Bread & butter"
    assert sent.body.startswith("bob mentioned you\n\n")
    assert "As @ada says." in sent.body
    assert f"http://localhost:8000{comment.get_absolute_url()}" in sent.body
    assert "You will no longer receive emails about mentions." in unsubscribe(sent)
    add_comment(bob, about, "As @ada says again.")
    assert work() == [sent]


def test_email_about_a_mention_in_a_post_links_to_it(ada: User, bob: User) -> None:
    written = post(bob, "Thanks", body="To @ada.")
    (sent,) = work()
    assert sent.subject == "[Rostra] Thanks"
    assert sent.body.startswith("bob mentioned you\n\n")
    assert f"http://localhost:8000{written.get_absolute_url()}" in sent.body


def test_mention_in_a_deleted_post_is_not_emailed(ada: User, bob: User) -> None:
    post_actions.delete(post(bob, "Thanks", body="To @ada."))
    assert work() == []


def test_comments_on_watched_threads_are_emailed_until_unsubscribed(ada: User, bob: User) -> None:
    about = post(person("cleo"), "Bread & butter")
    add_comment(ada, about)
    add_comment(bob, about, "Needs <salt>.")
    (sent,) = work()
    assert sent.subject == "[Rostra] Bread & butter"
    assert sent.body.startswith("bob commented in a thread you watch\n\n")
    assert "Needs <salt>." in sent.body
    assert "You will no longer receive emails about threads that you watch." in unsubscribe(sent)
    add_comment(bob, about)
    assert work() == [sent]


def test_one_comment_sends_one_email_whatever_the_reasons(ada: User, bob: User) -> None:
    add_comment(bob, post(ada, "Bread"), "As @ada says.")
    (sent,) = work()
    assert sent.subject == "[Rostra] Bread"
    assert sent.body.startswith("bob replied to you\n\n")


def test_emails_about_a_thread_are_one_conversation_in_a_mail_program(ada: User, bob: User) -> None:
    about = post(bob, "Bread", body="For @ada.")
    by_ada = add_comment(ada, about)
    answer = add_comment(bob, about, "Reply.", by_ada)
    watched = add_comment(person("cleo"), about, "Watched.")
    mentioned = add_comment(person("dora"), about, "Hello @ada.", watched)
    mails = {str(each["Message-ID"]): each for each in (sent.message() for sent in work())}
    assert len(mails) == 4, "each has its own id"
    first = f"<post-{about.pk}.{ada.pk}@localhost>"
    assert set(mails) == {first} | {
        f"<comment-{each.pk}.{ada.pk}@localhost>" for each in (answer, watched, mentioned)
    }
    assert {str(each["Subject"]) for each in mails.values()} == {"[Rostra] Bread"}
    assert {each["List-Id"] for each in mails.values()} == {
        "<mentions.localhost>",
        "<replies.localhost>",
        "<watched.localhost>",
    }
    assert mails[first]["References"] is None
    later = [each for name, each in mails.items() if name != first]
    assert all(str(each["References"]).split()[0] == first for each in later)
    reply = mails[f"<comment-{mentioned.pk}.{ada.pk}@localhost>"]
    assert reply["In-Reply-To"] == f"<comment-{watched.pk}.{ada.pk}@localhost>"
    assert str(reply["References"]).split() == [first, reply["In-Reply-To"]]


def test_messages_of_moderators_are_one_conversation_in_a_mail_program(
    ada: User, stella: User
) -> None:
    ada.mails_moderators = True
    ada.save()
    for text in ("One.", "Two."):
        conversations.write_to_person(ada, None, by=stella, body=text)
    mails = [each.message() for each in work()]
    (thread,) = {each["References"] for each in mails}
    assert thread.startswith("<conversation-")
    assert {each["In-Reply-To"] for each in mails} == {thread}
    assert len({each["Message-ID"] for each in mails}) == 2
    assert {str(each["Subject"]) for each in mails} == {"[Rostra] Message from the moderators"}


@pytest.mark.parametrize(
    ("site", "host"),
    [
        ("https://forum.example.org", "forum.example.org"),
        ("http://forum.example.org:8080", "forum.example.org"),
        ("https://例え.jp", "xn--r8jz45g.jp"),
    ],
)
def test_all_email_has_an_id_with_the_host_of_the_site(
    ada: User, bob: User, settings: Any, site: str, host: str
) -> None:
    settings.SITE_URL = site
    ada.digest, ada.digest_at = "daily", timezone.now() - timedelta(days=2)
    ada.save()
    add_comment(bob, post(ada, "Bread"))
    reader().post("/accounts/password/reset/", {"email": ada.email})
    mail_queue.enqueue_digests()
    mails = [each.message() for each in work()]
    assert len(mails) == 3
    assert all(str(each["Message-ID"]).endswith(f"@{host}>") for each in mails)
    lists = {each["List-Id"] for each in mails}
    assert lists == {None, f"<replies.{host}>", f"<digest.{host}>"}


def test_email_goes_only_to_a_confirmed_address(ada: User, bob: User) -> None:
    EmailAddress.objects.update(verified=False)
    add_comment(bob, post(ada, "Bread"))
    assert work() == []
    EmailAddress.objects.update(verified=True)
    add_comment(bob, post(ada, "Butter"))
    assert len(work()) == 1


def test_all_email_is_marked_as_automatic(ada: User, bob: User) -> None:
    add_comment(bob, post(ada, "Bread"))
    reader().post("/accounts/password/reset/", {"email": ada.email})
    assert [one.extra_headers["Auto-Submitted"] for one in work()] == ["auto-generated"] * 2


def test_person_with_a_chinese_browser_gets_chinese_email(bob: User) -> None:
    li = person_with_email("li", language="", mails_replies=True)
    reader(li, headers=CHINESE).get("/")
    reader(li).get("/")
    li.refresh_from_db()
    assert li.language == "zh-hans"
    add_comment(bob, post(li, "Bread"))
    (sent,) = work()
    assert "replied to you" not in sent.subject
    assert "Read and answer" not in sent.body


def test_person_who_signs_up_with_a_chinese_browser_has_chinese_as_language() -> None:
    form = {"username": "li", "password1": PASSWORD}
    reader(headers=CHINESE).post("/accounts/signup/", form, follow=True)
    assert User.objects.get().language == "zh-hans"


def test_email_is_in_the_language_that_a_member_chose(ada: User, bob: User) -> None:
    window = reader(ada, headers=OUR_PAGE)
    window.post("/language", {"language": "zh-hans"})
    add_comment(bob, post(ada, "Bread"))
    reader().post("/accounts/password/reset/", {"email": ada.email})
    reset, reply = work()
    assert "Choose a new password" not in reset.subject
    assert "replied to you" not in reply.subject
    window.post("/language", {"language": ""})
    window.get("/")
    ada.refresh_from_db()
    assert ada.language == "en", "the browser's own again"


def test_language_chosen_by_a_guest_changes_nobodys_email(ada: User) -> None:
    reader().post("/language", {"language": "zh-hans"})
    ada.refresh_from_db()
    assert ada.language == "en"


def test_preferences_offer_email_about_mentions_and_watched_threads() -> None:
    groups("books")
    li = person_with_email("li")
    form = {"told": ["reply"], "digest": "none", "mails_mentions": "on", "mails_watched": "on"}
    assert reader(li).post("/preferences", form).status_code == 303
    li.refresh_from_db()
    assert (li.mails_replies, li.mails_mentions, li.mails_watched) == (False, True, True)
