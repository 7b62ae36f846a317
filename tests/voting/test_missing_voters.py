"""Voter sets expire early if Redis's clock is hours ahead. Even then, nobody can vote twice."""

from collections import Counter
from typing import Any

import pytest
from redis import Redis

from tests.voting import comments, stored_state
from tests.voting.sites import ADA, BRAM, CLEO, HOUR, WEEK, Clock, made, publish, record, vote
from voting import keys
from voting.errors import StoreUnavailable, VotingClosed
from voting.service import VotingService
from voting.types import Target, Vote

COMMENT_ID = 70
"""The id of a comment. The answer has the next id."""
ON = {
    "a post": Target(comments.POST),
    "a comment": Target(comments.POST, COMMENT_ID),
    "an answer": Target(comments.POST, COMMENT_ID + 1),
}
LONG_AGO = 1
every_target = pytest.mark.parametrize("on", ON.values(), ids=ON.keys())


@pytest.fixture(autouse=True)
def _published(site: VotingService) -> None:
    """Publish a post by Ada, with a comment and an answer by Bram."""
    publish(site, comments.POST)
    comments.publish_comment(site, COMMENT_ID)
    comments.publish_comment(site, COMMENT_ID + 1, answer=True)


def end(redis: Redis, on: Target) -> None:
    """Make the voter set of a post or comment expire, as when Redis's clock is ahead."""
    redis.expireat(keys.voters(on), LONG_AGO)


@every_target
def test_votes_are_refused_while_the_voter_set_is_missing(
    site: VotingService, redis: Redis, on: Target
) -> None:
    site.votes.cast(CLEO, on, Vote.UP)
    end(redis, on)
    before = stored_state.contents(redis)
    for person, wanted in ((CLEO, Vote.UP), (CLEO, Vote.NONE), (9, Vote.DOWN)):
        with pytest.raises(StoreUnavailable, match="voter set"):
            site.votes.cast(person, on, wanted)
    after = stored_state.contents(redis)
    assert after.pop(keys.missing_voters())
    assert after == before, "nothing counts and the ledger has no entry"
    assert site.maintenance.loading.missing_voters() == {on}


def test_reloaded_post_accepts_votes_again(site: VotingService, redis: Redis) -> None:
    vote(site, CLEO, comments.POST)
    on = ON["a post"]
    end(redis, on)
    with pytest.raises(StoreUnavailable):
        vote(site, CLEO, comments.POST, Vote.DOWN)
    last = site.maintenance.loading.last_changes([on])[on]
    site.maintenance.loading.reload_posts(
        [record(made(site, comments.POST), ups=(ADA, CLEO))], {comments.POST: last}
    )
    site.maintenance.loading.clear_missing_voters([on])
    assert site.maintenance.loading.missing_voters() == set()
    ballot = vote(site, CLEO, comments.POST, Vote.DOWN)
    assert (ballot.up, ballot.down) == (1, 1)
    stored_state.assert_fits(redis, site, [comments.POST], whole_ledger=False)


@every_target
def test_target_without_votes_needs_no_voter_set(
    site: VotingService, redis: Redis, on: Target
) -> None:
    author = BRAM if on.comment_id else ADA
    site.votes.cast(author, on, Vote.NONE)
    assert not redis.exists(keys.voters(on))
    ballot = site.votes.cast(CLEO, on, Vote.DOWN)
    assert (ballot.changed, ballot.up, ballot.down) == (True, 0, 1)
    ends_at: Any = redis.expiretime(keys.voters(on))
    assert ends_at == (-1 if on == ON["an answer"] else site.now() + WEEK + HOUR)


@every_target
def test_closed_target_reports_closed_even_without_a_voter_set(
    site: VotingService, redis: Redis, on: Target, clock: Clock
) -> None:
    clock.advance(WEEK)
    end(redis, on)
    with pytest.raises(StoreUnavailable if on == ON["an answer"] else VotingClosed):
        site.votes.cast(CLEO, on, Vote.UP)


def test_checking_for_the_voter_set_takes_no_extra_command(
    site: VotingService, redis: Redis
) -> None:
    for on in ON.values():
        site.votes.cast(9, on, Vote.UP)  # the server loads the scripts
    written = {"evalsha": 1, "exists": 1, "hmget": 1, "sadd": 1, "xadd": 1, "hset": 1}
    commands = stored_state.commands(redis, lambda: comments.vote(site, CLEO, COMMENT_ID))
    assert commands == Counter({**written, "hexists": 1})
    if not site.store.is_cluster:
        commands = stored_state.commands(redis, lambda: vote(site, CLEO, comments.POST))
        assert commands == Counter({**written, "get": 1, "zadd": 4}), (
            "the GET is for the vote value"
        )
