"""Digests leave out blocked people, hidden groups, and posts that were hidden or read."""

from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import following, mail_queue, marks
from forum.identity import languages
from forum.models import Group, User
from forum.moderation.conversations.services import write_to_person
from tests.forum.factories import groups, person, person_with_email, post, reader
from tests.forum.outages import redis_down

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> User:
    """Ada, who wants digests and got the last one yesterday."""
    yesterday = timezone.now() - timedelta(hours=25)
    return person_with_email("ada", digest="daily", digest_at=yesterday)


def digest() -> Any:
    """Send the digests that are due, and return the only email."""
    mail_queue.enqueue_digests()
    mail_queue.send_waiting(Event())
    (sent,) = mail.outbox
    return sent


def test_digest_leaves_out_hidden_groups_hidden_and_read_posts(ada: User, bob: User) -> None:
    for number in range(6):
        post(bob, f"Not for Ada {number}", slugs=f"away{number}")
    hidden, read = post(bob, "Hidden post"), post(bob, "Read post")
    post(bob, "Also elsewhere", slugs="books away1")
    post(bob, "A good post")
    for group in Group.objects.filter(slug__startswith="away"):
        following.hide_group(ada, group, on=True)
    marks.hide(ada, hidden, on=True)
    reader(ada).get(read.get_absolute_url())
    body = digest().body
    assert "A good post" in body
    for title in ("Not for Ada", "Hidden post", "Read post", "Also elsewhere"):
        assert title not in body


def test_digest_leaves_out_hidden_items_while_redis_is_down(
    settings: Any, ada: User, bob: User
) -> None:
    hidden = post(bob, "Hidden post")
    post(bob, "Not for Ada", slugs="away")
    post(bob, "A good post")
    following.hide_group(ada, groups("away")[0], on=True)
    marks.hide(ada, hidden, on=True)
    with redis_down(settings):
        body = digest().body
    assert "A good post" in body
    assert "Hidden post" not in body
    assert "Not for Ada" not in body


def test_nothing_by_blocked_people_is_in_a_digest(ada: User, bob: User) -> None:
    about, cleo = post(ada, "Bread & butter"), person("cleo")
    post(bob, "By Bob")
    post(cleo, "By Cleo")
    for author in (bob, cleo):
        comment_actions.write(author=author, post=about, parent=None, body="Hm.")
    following.block(ada, bob, on=True)
    body = digest().body
    assert "- cleo replied to you: Bread & butter" in body
    assert "By Cleo" in body
    assert "bob" not in body


def test_items_about_hidden_posts_and_groups_are_not_in_a_digest(ada: User, bob: User) -> None:
    hidden, away = post(bob, "Hidden post"), post(bob, "Not for Ada", slugs="away")
    shown = post(bob, "A good post")
    for about in (hidden, away, shown):
        comment_actions.write(author=bob, post=about, parent=None, body="As @ada says.")
    marks.hide(ada, hidden, on=True)
    following.hide_group(ada, groups("away")[0], on=True)
    body = digest().body
    assert "- bob mentioned you: A good post" in body
    assert "Hidden post" not in body
    assert "Not for Ada" not in body


def test_a_moderators_message_is_in_a_digest_without_the_moderators_name(ada: User) -> None:
    stella = person("stella", is_staff=True)
    following.block(ada, stella, on=True)
    write_to_person(ada, None, by=stella, body="Please be kind.")
    body = digest().body
    assert "- Message from the moderators\n" in body
    assert "stella" not in body


def test_digest_is_in_the_persons_language(ada: User, bob: User) -> None:
    languages.choose(ada, "zh-hans")
    comment_actions.write(author=bob, post=post(ada, "Bread"), parent=None, body="Hm.")
    sent = digest()
    assert "Your daily digest" not in sent.subject
    assert "In your inbox" not in sent.body
    assert "replied to you" not in sent.body
