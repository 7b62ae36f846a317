"""Votes begin and stop to count, also on merged and deleted posts, and on past days."""

from contextlib import AbstractContextManager
from datetime import UTC, datetime

import pytest

from forum.actions import posts
from forum.ledger import finished_days, vote_states
from forum.models import ArchivedVote, DayPost, LedgerEntry, Post, User
from forum.moderation.actions import removals
from tests.forum.comments import add_comment
from tests.forum.factories import person, post
from tests.forum.merging import assert_consistent, merge, numbers, undone
from tests.forum.voting_sites import DAY, cast, clock_at, older_person, turned_clock, work
from tests.voting.sites import HOUR
from voting.types import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
Kind = LedgerEntry.Kind


def void(people: list[User], source: str = "void:1") -> None:
    """Void all votes of some people, but not on their own posts."""
    work()
    own = Post.objects.filter(author__in=people).values("pk")
    rows = ArchivedVote.objects.filter(user_id__in=[one.pk for one in people])
    pks = list(rows.exclude(post_id__in=own).values_list("pk", flat=True))
    vote_states.change(pks, Kind.VOID, source, vote_states.void)


def restore(people: list[User], source: str = "restore:1") -> None:
    rows = ArchivedVote.objects.filter(user_id__in=[one.pk for one in people])
    pks = list(rows.values_list("pk", flat=True))
    vote_states.change(pks, Kind.RESTORE, source, vote_states.restored)


def points(on: Post) -> int:
    return Post.objects.get(pk=on.pk).points


@pytest.fixture
def author() -> User:
    return older_person("author")


@pytest.fixture
def written(author: User) -> Post:
    return post(author)


@pytest.fixture
def voter() -> User:
    return older_person("voter")


def test_numbers_are_exactly_as_before_after_restoring(written: Post, voter: User) -> None:
    comment = add_comment(written.author, written)
    cast(older_person("reader"), written)
    cast(older_person("listener"), comment)
    work()
    without = numbers(), points(written)
    for text in (written, comment):
        cast(voter, text, Vote.DOWN)
    work()
    with_votes = numbers(), points(written)
    void([voter])
    work()
    assert (numbers()["boards"], points(written)) == (without[0]["boards"], without[1])
    assert_consistent()
    restore([voter])
    work()
    assert (numbers(), points(written)) == with_votes
    assert_consistent()


def test_vote_changed_before_redis_knows_that_it_is_void_stays_void(
    written: Post, voter: User
) -> None:
    cast(voter, written)
    void([voter])
    assert cast(voter, written, Vote.DOWN).counts_at is None, "Redis doesn't know yet"
    work()
    assert points(written) == 1
    assert_consistent()
    restore([voter])
    assert cast(voter, written, Vote.UP).counts_at is not None, "Redis doesn't know yet"
    work()
    assert points(written) == 2
    assert_consistent()


def test_votes_are_voided_on_deleted_posts_too(written: Post, voter: User, root: User) -> None:
    cast(voter, written)
    work()
    posts.delete(written, by=written.author)
    void([voter])
    work()
    written.refresh_from_db()
    removals.restore(written, by=root, reason="")
    work()
    assert points(written) == 1
    assert_consistent()


def test_void_on_a_merged_post_settles_the_post_that_remains_both_ways(
    written: Post, voter: User, root: User
) -> None:
    duplicate = post(older_person("copyist"))
    cast(voter, written, Vote.DOWN)
    work()
    with turned_clock(60):
        cast(voter, duplicate)
    work()
    action = merge(duplicate, written, root)
    work()
    assert points(written) == 3, "of both votes, the later one counts"
    duplicates = ArchivedVote.objects.filter(post_id=duplicate.pk, user_id=voter.pk)
    vote_states.change([duplicates.get().pk], Kind.VOID, "void:1", vote_states.void)
    work()
    assert points(written) == 1, "the vote on the remaining post counts again"
    assert_consistent()
    vote_states.change([duplicates.get().pk], Kind.RESTORE, "restore:1", vote_states.restored)
    work()
    assert points(written) == 3
    assert_consistent()
    undone(action, root)
    work()
    assert_consistent()


@pytest.mark.parametrize("undone_first", [True, False])
def test_void_on_the_post_that_remains_outlives_the_undoing_of_a_merge(
    written: Post, voter: User, root: User, undone_first: bool
) -> None:
    duplicate = post(older_person("copyist"))
    cast(voter, duplicate)
    work()
    action = merge(duplicate, written, root)
    work()
    void([voter])
    work()
    assert points(written) == 2, "the copyist's vote"
    assert_consistent()
    for turn in (undone_first, not undone_first):
        if turn:
            undone(action, root)
        else:
            restore([voter])
        work()
        assert_consistent()
    assert (points(written), points(duplicate)) == (1, 2)


def test_void_vote_that_is_restored_after_a_merge_counts_for_the_post_that_remains(
    written: Post, root: User
) -> None:
    duplicate = post(older_person("copyist"))
    last = older_person("last")
    cast(last, duplicate)
    void([last])
    work()
    merge(duplicate, written, root)
    work()
    restore([last])
    work()
    assert points(written) == 3
    assert karma("author", "copyist") == [1, 0]
    assert_consistent()


def test_restored_vote_from_an_undone_merge_is_not_taken_from_karma_twice(
    written: Post, root: User, voter: User
) -> None:
    duplicate = post(older_person("copyist"))
    cast(voter, duplicate)
    work()
    action = merge(duplicate, written, root)
    work()
    void([voter])
    work()
    undone(action, root)
    merge(written, duplicate, root)
    work()
    restore([voter])
    work()
    assert karma("author", "copyist") == [0, 1]
    assert_consistent()


def karma(*names: str) -> list[int]:
    return [User.objects.get(username=name).karma for name in names]


# The best of past days

NOON = int(datetime.now(UTC).replace(hour=12, minute=0, second=0).timestamp()) + DAY
"""Noon of tomorrow (s since 1970). Redis would delete keys that expire in its past."""


def at_noon(hours: float = 0) -> AbstractContextManager[None]:
    """Set the site's clocks to some hours after noon of tomorrow."""
    return clock_at(lambda: NOON + int(hours * HOUR))


def points_of_day(on: Post) -> int:
    """Let the worker find the best posts of past days. Return the points that a post had then."""
    work()
    finished_days.finish()
    return DayPost.objects.get(post=on).points


@pytest.fixture
def of_that_day(author: User) -> Post:
    with at_noon():
        return post(author)


def newcomer(name: str, hours: float) -> User:
    """Create an account that stops being new some hours after noon of tomorrow."""
    joined = NOON + int(hours * HOUR) - DAY
    return person(name, date_joined=datetime.fromtimestamp(joined, UTC))


def test_void_vote_that_was_changed_later_is_taken_from_its_day(
    of_that_day: Post, voter: User
) -> None:
    with at_noon(1):
        cast(voter, of_that_day)
    with at_noon(24):
        cast(voter, of_that_day, Vote.DOWN)
        assert points_of_day(of_that_day) == 2
        void([voter])
        assert points_of_day(of_that_day) == 1
        restore([voter])
        assert points_of_day(of_that_day) == 2


def void_second(on: Post, hours: float) -> User:
    """Let a second newcomer's vote wait, and void it. The account is new for some hours."""
    cast(newcomer("first", hours), on, network="school")
    cast(second := newcomer("second", hours), on, network="school")
    void([second])
    work()
    return second


def test_vote_that_became_due_while_it_was_void_counts_on_its_day_when_restored(
    of_that_day: Post,
) -> None:
    with at_noon(1):
        second = void_second(of_that_day, hours=2)
    with at_noon(3):
        work()
        restore([second])
    with at_noon(24):
        assert points_of_day(of_that_day) == 3


def test_waiting_vote_that_was_changed_while_it_was_void_counts_no_earlier(
    of_that_day: Post,
) -> None:
    with at_noon(1):
        second = void_second(of_that_day, hours=23)
        cast(second, of_that_day, Vote.DOWN)
        restore([second])
    with at_noon(24):
        assert points_of_day(of_that_day) == 2
