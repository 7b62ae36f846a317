"""Answers to questions: voting on answers never closes, and up votes weigh more than down votes."""

import pytest
from redis import Redis

from tests.voting.comments import POST, assert_comment_fits, publish_comment, vote, voters
from tests.voting.sites import ADA, BRAM, CLEO, HOUR, WEEK, Clock, publish
from voting import keys
from voting.scores import answer_weight
from voting.service import VotingService
from voting.types import Rules, Target, Vote
from voting.types.comments import Sort

SUPPORTED, NEITHER, OPPOSED = Vote.UP, Vote.NONE, Vote.DOWN


@pytest.fixture(autouse=True)
def _question(site: VotingService) -> None:
    publish(site, POST, author=ADA)
    publish_comment(site, 1, author=BRAM, answer=True)


def weight(site: VotingService) -> int:
    """Return the number by which an answer is ranked: 2 x up votes minus down votes."""
    tally = site.comments.tallies(POST, [1])[1]
    return int(site.comments.score(Sort.BEST, tally.up, tally.down, answer=True))


@pytest.mark.parametrize(
    ("before", "after", "moves"),
    [
        (NEITHER, SUPPORTED, 2),
        (NEITHER, OPPOSED, -1),
        (SUPPORTED, NEITHER, -2),
        (OPPOSED, NEITHER, 1),
        (OPPOSED, SUPPORTED, 3),
        (SUPPORTED, OPPOSED, -3),
        (SUPPORTED, SUPPORTED, 0),
        (OPPOSED, OPPOSED, 0),
    ],
)
def test_up_vote_weighs_two_down_vote_one_and_a_change_three(
    site: VotingService, redis: Redis, before: Vote, after: Vote, moves: int
) -> None:
    vote(site, CLEO, 1, before)
    weighed = weight(site)
    vote(site, CLEO, 1, after)
    assert weight(site) - weighed == moves
    assert_comment_fits(redis, site, 1)


def test_nobody_votes_an_answer_up_and_down_at_once(site: VotingService, redis: Redis) -> None:
    vote(site, CLEO, 1, SUPPORTED)
    vote(site, CLEO, 1, OPPOSED)
    assert voters(redis, 1) == ({BRAM}, {CLEO}), "a switch takes one back and gives the other"
    vote(site, CLEO, 1, NEITHER)
    assert voters(redis, 1) == ({BRAM}, set())


def test_weights_of_answers_are_configurable() -> None:
    rules = Rules(answer_up=5, answer_down=3)
    assert answer_weight(rules, 2, 1) == 7


def test_answers_stay_open_and_their_voter_sets_never_expire(
    site: VotingService, redis: Redis, clock: Clock
) -> None:
    clock.advance(52 * WEEK)
    ballot = vote(site, CLEO, 1, OPPOSED)
    assert (ballot.changed, ballot.up, ballot.down, ballot.closes_at) == (True, 1, 1, 0)
    tally = site.comments.tallies(POST, [1], viewer=BRAM)[1]
    assert (tally.vote, tally.closes_at) == (SUPPORTED, None)
    assert redis.ttl(keys.voters(Target(POST, 1))) == -1


def test_answer_without_votes_stays_open(site: VotingService, redis: Redis, clock: Clock) -> None:
    vote(site, BRAM, 1, NEITHER)
    vote(site, CLEO, 1, SUPPORTED)
    clock.advance(WEEK + HOUR)
    assert not vote(site, CLEO, 1, SUPPORTED).changed
    assert redis.ttl(keys.voters(Target(POST, 1))) == -1


def test_comments_below_an_answer_close_like_others(site: VotingService, redis: Redis) -> None:
    publish_comment(site, 2, author=CLEO)
    assert redis.ttl(keys.voters(Target(POST, 2))) > 0


def test_bitmap_would_take_more_memory_than_a_voter_set(redis: Redis) -> None:
    """Measure the sizes that the docstring of `voting.keys.voters` states."""
    late = 10**8
    redis.setbit("bitmap", late, 1)
    redis.sadd("set", late)
    cost = {key: redis.memory_usage(key, samples=0) or 0 for key in ("bitmap", "set")}
    assert cost["bitmap"] > 12_500_000
    assert 0 < cost["set"] < 100
