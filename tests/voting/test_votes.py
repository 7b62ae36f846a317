"""Votes: every change of a vote, repeated and refused votes, and the end of the voting window."""

from time import time

import pytest
from redis import Redis

from tests.voting.sites import ADA, BRAM, CLEO, DINA, HOUR, WEEK, Clock, publish, vote
from tests.voting.stored_state import assert_fits, contents, ledger, score, tallies, voters
from voting import keys
from voting.errors import StoreEmpty, UnknownTarget, VotingClosed
from voting.service import VotingService
from voting.types import Order, Post, Target, Vote

UP, NONE, DOWN = Vote.UP, Vote.NONE, Vote.DOWN
WEIGHT = 432
TRANSITIONS = [
    # from, to: up votes, down votes, weights of score
    (NONE, NONE, 0, 0, 0),
    (NONE, UP, +1, 0, +1),
    (NONE, DOWN, 0, +1, -1),
    (UP, UP, 0, 0, 0),
    (UP, NONE, -1, 0, -1),
    (UP, DOWN, -1, +1, -2),
    (DOWN, DOWN, 0, 0, 0),
    (DOWN, NONE, 0, -1, +1),
    (DOWN, UP, +1, -1, +2),
]


@pytest.fixture
def post(site: VotingService) -> Post:
    """Ada's new post in two groups. Cleo voted it up, Dina voted it down."""
    written = publish(site, 7, groups=("python", "redis"))
    vote(site, CLEO, 7, UP)
    vote(site, DINA, 7, DOWN)
    return written


@pytest.mark.parametrize(
    ("before", "after", "ups", "downs", "weights"),
    TRANSITIONS,
    ids=[f"{before.name}-to-{after.name}" for before, after, *_ in TRANSITIONS],
)
def test_changed_vote_moves_tally_scores_voter_set_and_ledger_exactly(
    site: VotingService,
    redis: Redis,
    post: Post,
    before: Vote,
    after: Vote,
    ups: int,
    downs: int,
    weights: int,
) -> None:
    first = vote(site, BRAM, post.id, before)
    earlier = ledger(redis, post.id)
    ballot = vote(site, BRAM, post.id, after)
    assert (ballot.up, ballot.down) == (first.up + ups, first.down + downs)
    assert ballot.vote is after, "the ballot shows what was wanted"
    assert ballot.changed is (before is not after)
    (row,) = site.posts.rows([post.id], viewer=BRAM)
    assert (row.up, row.down, row.vote) == (ballot.up, ballot.down, after)

    for group in (None, "python", "redis"):
        hot = score(redis, post.id, Order.HOT, group)
        assert hot == post.posted_at + WEIGHT * (first.points + weights), f"hot of {group}"
        for order in (Order.TOP_ALL, Order.TOP_DAY, Order.TOP_WEEK, Order.TOP_MONTH):
            top = score(redis, post.id, order, group)
            assert top == ballot.points * 2**33 + post.posted_at, f"{order} of {group}"
        assert score(redis, post.id, Order.NEW, group) == post.posted_at, "votes don't move time"

    bram_up, bram_down = {BRAM} if after is UP else set(), {BRAM} if after is DOWN else set()
    assert voters(redis, post.id) == ({ADA, CLEO} | bram_up, {DINA} | bram_down)
    entries = [] if before is after else [(BRAM, int(after), ballot.up, ballot.down)]
    assert ledger(redis, post.id)[len(earlier) :] == entries, "one for a change, none for a repeat"
    assert_fits(redis, site, [post.id])


@pytest.mark.parametrize("wanted", list(Vote))
def test_second_identical_vote_changes_nothing(
    site: VotingService, redis: Redis, post: Post, wanted: Vote
) -> None:
    first = vote(site, BRAM, post.id, wanted)
    before = contents(redis)
    for _ in range(3):
        again = vote(site, BRAM, post.id, wanted)
        assert not again.changed
        assert (again.vote, again.up, again.down) == (wanted, first.up, first.down)
    assert contents(redis) == before, "a repeated vote leaves every key as it was"


def test_a_post_starts_with_its_authors_own_up_vote(site: VotingService, redis: Redis) -> None:
    written = publish(site, 7)
    (row,) = site.posts.rows([7], viewer=ADA)
    assert (row.up, row.down, row.vote) == (1, 0, UP)
    assert ledger(redis, 7) == [(ADA, 1, 1, 0)], "the author's vote is in the ledger like any other"
    assert score(redis, 7, Order.HOT) == written.posted_at + WEIGHT


def test_author_can_withdraw_and_change_their_own_vote(site: VotingService, redis: Redis) -> None:
    publish(site, 7)
    assert vote(site, ADA, 7, NONE).points == 0
    assert vote(site, ADA, 7, DOWN).points == -1
    assert voters(redis, 7) == (set(), {ADA})
    assert_fits(redis, site, [7])


def test_publishing_again_does_not_restore_the_authors_withdrawn_vote(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 7)
    vote(site, ADA, 7, NONE)
    publish(site, 7, version=2)
    assert tallies(redis, 7) == (0, 0)
    assert voters(redis, 7) == (set(), set())


def test_people_with_large_ids_are_counted(site: VotingService, redis: Redis) -> None:
    largest = 2**31 - 1
    publish(site, largest)
    vote(site, largest, largest, UP)
    vote(site, largest - 1, largest, DOWN)
    assert voters(redis, largest) == ({ADA, largest}, {largest - 1})
    assert site.posts.rows([largest], viewer=largest - 1)[0].vote is DOWN
    assert_fits(redis, site, [largest])


@pytest.mark.parametrize("seconds", [0, 1, WEEK - 1])
def test_votes_count_until_the_last_second_of_seven_days(
    site: VotingService, clock: Clock, seconds: int
) -> None:
    written = publish(site, 7)
    clock.advance(seconds)
    ballot = vote(site, BRAM, 7, UP)
    assert ballot.changed
    assert ballot.closes_at == written.posted_at + WEEK
    assert site.votes.is_open(written.posted_at)


@pytest.mark.parametrize("seconds", [WEEK, WEEK + 1, WEEK + HOUR - 1])
@pytest.mark.parametrize("wanted", list(Vote))
def test_votes_are_refused_from_exactly_seven_days_on(
    site: VotingService, redis: Redis, clock: Clock, seconds: int, wanted: Vote
) -> None:
    written = publish(site, 7)
    vote(site, BRAM, 7, DOWN)
    clock.advance(seconds)
    entries = ledger(redis, 7)
    with pytest.raises(VotingClosed) as refusal:
        vote(site, BRAM, 7, wanted)
    ballot = refusal.value.ballot
    assert (ballot.vote, ballot.up, ballot.down, ballot.changed) == (DOWN, 1, 1, False)
    assert ballot.closes_at == written.posted_at + WEEK
    assert ledger(redis, 7) == entries, "a refused vote is no change"
    assert not site.votes.is_open(written.posted_at)
    assert site.posts.rows([7], viewer=BRAM)[0].vote is DOWN, "the vote stays visible"


def test_the_voter_set_ends_an_hour_after_the_window(site: VotingService, redis: Redis) -> None:
    written = publish(site, 7)
    ends = written.posted_at + WEEK + HOUR
    assert redis.expiretime(keys.voters(Target(7))) == ends
    vote(site, ADA, 7, DOWN)
    assert redis.expiretime(keys.voters(Target(7))) == ends, "the only voter has switched"
    vote(site, ADA, 7, NONE)
    assert not redis.exists(keys.voters(Target(7))), "without votes there is no set"
    vote(site, BRAM, 7, DOWN)
    assert redis.expiretime(keys.voters(Target(7))) == ends, "a new set expires too"


def test_when_the_voter_set_ends_the_tallies_stay(
    site: VotingService, redis: Redis, clock: Clock
) -> None:
    clock.now = int(time()) - WEEK
    written = publish(site, 7)
    clock.advance(WEEK - 1)
    vote(site, BRAM, 7, UP)
    ends = written.posted_at + WEEK + HOUR
    assert redis.expiretime(keys.voters(Target(7))) == ends, (
        "a late vote does not change the expiry"
    )
    redis.expireat(keys.voters(Target(7)), int(time()) - 1)
    clock.now = ends
    (row,) = site.posts.rows([7], viewer=BRAM)
    assert row.vote is None, "the vote is only in SQL now"
    assert (row.up, row.down) == (2, 0), "the tallies stay"


def test_own_vote_is_unknown_once_the_voter_set_has_expired(
    site: VotingService, clock: Clock
) -> None:
    publish(site, 7)
    clock.advance(WEEK + HOUR - 1)
    assert site.posts.rows([7], viewer=ADA)[0].vote is UP
    clock.advance(1)
    assert site.posts.rows([7], viewer=ADA)[0].vote is None


def test_unpublished_post_accepts_no_votes(site: VotingService, redis: Redis) -> None:
    with pytest.raises(UnknownTarget):
        vote(site, BRAM, 7)
    assert not redis.exists(keys.post(7), keys.voters(Target(7)), keys.ledger(7))


def test_missing_comment_accepts_no_votes(site: VotingService) -> None:
    publish(site, 7)
    with pytest.raises(UnknownTarget):
        site.votes.cast(BRAM, Target(7, comment_id=3), UP)


def test_retracted_post_accepts_no_votes_and_a_republished_one_does(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 7)
    vote(site, BRAM, 7, UP)
    site.posts.retract(7)
    for person, wanted in ((BRAM, NONE), (CLEO, UP)):
        with pytest.raises(UnknownTarget):
            vote(site, person, 7, wanted)
    publish(site, 7)
    assert vote(site, CLEO, 7, UP).points == 3
    assert_fits(redis, site, [7])


@pytest.mark.parametrize("tag", [keys.RANK_TAG, keys.shard_tag(7)])
def test_missing_generation_refuses_votes_and_writes_nothing(
    site: VotingService, redis: Redis, tag: str
) -> None:
    if tag == keys.RANK_TAG and site.store.is_cluster:
        pytest.skip("on a cluster the post's own slot decides; rankings follow when rebuilt")
    publish(site, 7)
    redis.delete(keys.generation(tag))
    with pytest.raises(StoreEmpty):
        vote(site, BRAM, 7)
    assert tallies(redis, 7) == (1, 0)
    assert voters(redis, 7) == ({ADA}, set())
