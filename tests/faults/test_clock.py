"""If the voting service's clock is an hour fast or slow, no vote is lost or counted twice."""

from collections.abc import Iterator
from datetime import timedelta
from time import time

import pytest
from django.utils import timezone
from redis import Redis

from forum.ledger.archiver import archive_rest
from forum.models import LedgerEntry, Post, User
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import rebuild
from forum.operations.repair.scope import WHOLE
from forum.store.service import get_voting_service
from tests.forum.factories import post
from tests.voting.stored_state import voters
from voting.errors import VotingClosed
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]
BRAM, CLEO = 900_501, 900_502
HOUR = 3_600
WEEK = 604_800


@pytest.fixture
def wrong() -> Iterator["Wrong"]:
    """The clock of the voting service. A test can set it fast or slow."""
    clock = Wrong()
    get_voting_service().clock = clock
    yield clock
    get_voting_service.cache_clear()


class Wrong:
    """A clock that is `ahead` seconds fast. If `ahead` is negative, the clock is slow."""

    ahead = 0

    def __call__(self) -> float:
        return time() + self.ahead


def ending(author: User, seconds: int) -> Post:
    """Publish a post with a date in the past. Its voting window ends in `seconds` seconds."""
    written = post(author)
    made = timezone.now() - timedelta(seconds=WEEK - seconds)
    Post.objects.filter(pk=written.pk).update(created_at=made)
    archive_rest(get_voting_service().maintenance.generations.current())
    rebuild()
    return Post.objects.get(pk=written.pk)


def assert_right(redis: Redis, written: Post, ups: set[int], downs: set[int]) -> None:
    """Assert that Redis and SQL have exactly these votes, before and after a rebuild."""
    for _ in range(2):
        assert voters(redis, written.pk) == (ups, downs)
        assert list(differences()) == []
        assert list(replay.differences(WHOLE)) == []
        rebuild()


@pytest.mark.parametrize("ahead", [HOUR, -HOUR], ids=["an hour ahead", "an hour behind"])
def test_votes_cast_with_a_wrong_clock_count_once(
    redis: Redis, ada: User, wrong: Wrong, ahead: int
) -> None:
    written = post(ada)
    target = Target(written.pk)
    get_voting_service().votes.cast(BRAM, target, Vote.UP)
    wrong.ahead = ahead
    assert not get_voting_service().votes.cast(BRAM, target, Vote.UP).changed
    get_voting_service().votes.cast(CLEO, target, Vote.UP)
    get_voting_service().votes.cast(CLEO, target, Vote.DOWN)
    during = post(ada, "Written meanwhile")
    wrong.ahead = 0
    assert not get_voting_service().votes.cast(CLEO, target, Vote.DOWN).changed
    assert get_voting_service().votes.cast(CLEO, Target(during.pk), Vote.UP).changed
    assert_right(redis, written, {ada.pk, BRAM}, {CLEO})
    entries = LedgerEntry.objects.filter(post_id=written.pk).order_by("pk")
    assert list(entries.values_list("vote", flat=True)) == [1, 1, 1, -1], "in the order they came"


def test_fast_clock_closes_voting_early_and_loses_nothing(
    redis: Redis, ada: User, wrong: Wrong
) -> None:
    written = ending(ada, seconds=HOUR // 2)
    target = Target(written.pk)
    get_voting_service().votes.cast(BRAM, target, Vote.UP)
    wrong.ahead = HOUR
    with pytest.raises(VotingClosed):
        get_voting_service().votes.cast(CLEO, target, Vote.UP)
    wrong.ahead = 0
    assert get_voting_service().votes.cast(CLEO, target, Vote.DOWN).changed, (
        "open again, with all votes"
    )
    assert_right(redis, written, {ada.pk, BRAM}, {CLEO})


def test_slow_clock_closes_voting_late_and_nobody_votes_twice(
    redis: Redis, ada: User, wrong: Wrong
) -> None:
    """After voting closes, Redis keeps the voter set for another hour."""
    written = ending(ada, seconds=HOUR // 4)
    target = Target(written.pk)
    get_voting_service().votes.cast(BRAM, target, Vote.UP)
    archive_rest(get_voting_service().maintenance.generations.current())
    Post.objects.filter(pk=written.pk).update(
        created_at=written.created_at - timedelta(seconds=HOUR // 2)
    )
    rebuild()
    with pytest.raises(VotingClosed):
        get_voting_service().votes.cast(CLEO, target, Vote.UP)
    wrong.ahead = -HOUR
    assert not get_voting_service().votes.cast(BRAM, target, Vote.UP).changed
    assert get_voting_service().votes.cast(CLEO, target, Vote.UP).changed
    assert_right(redis, written, {ada.pk, BRAM, CLEO}, set())
