"""Many votes of new accounts within an hour put a post or comment in the moderation queue."""

from collections.abc import Sequence
from typing import Any

import pytest

from forum.ledger.archiver import archive_waiting
from forum.models import Comment, Flag, ModAction, Post, QueueItem, User
from forum.moderation.actions import decisions
from forum.moderation.flags import services as flags
from forum.moderation.vote_signs.alarms import raise_alarms
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader, set_policy, veteran
from tests.forum.voting_sites import cast, newcomers, older_person, turned_clock
from voting.types import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
HOUR = 3_600


@pytest.fixture
def author() -> User:
    """The author, whose account is the first of a site that is older than a week."""
    return older_person("author")


@pytest.fixture
def written(author: User, settings: Any) -> Post:
    settings.ALARM_NEW_VOTES = 3
    return post(author, "The post")


def vote(people: Sequence[User], text: Post | Comment, way: Vote = Vote.UP) -> None:
    """Vote on a post or comment, and do what the worker does every minute."""
    for who in people:
        cast(who, text, way)
    archive_waiting()
    raise_alarms()


def test_more_votes_than_the_setting_flag_a_post_once(written: Post) -> None:
    people = newcomers(6)
    vote(people[:3], written)
    assert not QueueItem.objects.exists()
    vote(people[3:4], written)
    vote(people[4:], written)
    item = QueueItem.objects.get()
    assert (item.post, item.kind) == (written, QueueItem.Kind.FLAGGED)
    (flag,) = item.flags.all()
    assert (flag.kind, flag.user) == (Flag.Kind.VOTES, None)


def test_comments_are_flagged_too_whichever_way_people_vote(author: User, written: Post) -> None:
    comment = add_comment(author, written)
    vote(newcomers(4), comment, Vote.DOWN)
    assert QueueItem.objects.get().comment == comment


def test_votes_of_older_accounts_raise_no_alarm(written: Post) -> None:
    vote([*newcomers(3), *(older_person(f"older{number}") for number in range(5))], written)
    assert not QueueItem.objects.exists()


def test_votes_spread_over_hours_raise_no_alarm(written: Post) -> None:
    people = newcomers(6)
    vote(people[:3], written)
    with turned_clock(2 * HOUR):
        vote(people[3:], written)
    assert not QueueItem.objects.exists()


def test_no_alarm_if_the_site_switches_it_off(written: Post, settings: Any) -> None:
    settings.ALARM_NEW_VOTES = 0
    vote(newcomers(9), written)
    assert not QueueItem.objects.exists()


def test_votes_about_which_moderators_decided_raise_no_second_alarm(
    written: Post, stella: User
) -> None:
    vote(newcomers(4), written)
    decisions.dismiss(written, by=stella, reason="From a newsletter")
    raise_alarms()
    assert QueueItem.objects.get().decided_at


def test_alarm_joins_the_open_item_of_other_flags(written: Post, bob: User) -> None:
    item = flags.flag(written, by=bob, kind=Flag.Kind.SPAM, words="", to_admins=False)
    vote(newcomers(4), written)
    assert QueueItem.objects.get() == item
    assert item.flags.count() == 2


def test_alarm_does_not_help_to_hide_what_was_voted_on(written: Post) -> None:
    set_policy(hide_weight=1.0, hide_author_karma=1_000)
    vote(newcomers(4), written)
    for name, is_hidden in (("vera", False), ("wim", True)):
        flags.flag(written, by=veteran(name), kind=Flag.Kind.SPAM, words="", to_admins=False)
        written.refresh_from_db()
        assert bool(written.deleted_at) is is_hidden


def test_nobody_is_accused_in_the_log(written: Post) -> None:
    vote(newcomers(4), written)
    assert not ModAction.objects.exists()


def test_moderators_see_the_alarm_in_the_queue(written: Post, stella: User) -> None:
    vote(newcomers(4), written)
    html = reader(stella).get("/moderation").content.decode()
    assert "Many votes of new accounts" in html
    assert 'href="/moderation/votes"' in html


def test_queue_shows_alarms_also_if_it_needs_heavy_flags(written: Post, stella: User) -> None:
    set_policy(queue_weight=2.5)
    vote(newcomers(4), written)
    assert "The post" in reader(stella).get("/moderation").content.decode()


def test_people_cannot_flag_with_the_reason_of_the_alarm(written: Post, bob: User) -> None:
    window, path = reader(bob), f"/p/{written.pk}/flag"
    assert "votes of new accounts" not in window.get(path).content.decode()
    assert window.post(path, {"kind": Flag.Kind.VOTES}).status_code == 422


@pytest.mark.usefixtures("written")
def test_quiet_hour_raises_nothing() -> None:
    archive_waiting()
    raise_alarms()
    assert not QueueItem.objects.exists()
