"""Votes on comments have the same states and the same voting window as votes on posts."""

from contextlib import suppress
from random import Random

import pytest
from redis import Redis

from tests.voting.comments import POST, assert_comment_fits, ledger, publish_comment, vote, voters
from tests.voting.sites import ADA, BRAM, CLEO, DINA, HOUR, WEEK, Clock, publish
from tests.voting.test_races import at_once
from voting import keys
from voting.errors import UnknownTarget, VotingClosed
from voting.redis.encoding import tally_parts
from voting.service import VotingService
from voting.types import Order, Target, Vote

UP, NONE, DOWN = Vote.UP, Vote.NONE, Vote.DOWN
TABLE = {
    (NONE, UP): (2, 0),
    (NONE, NONE): (1, 0),
    (NONE, DOWN): (1, 1),
    (UP, UP): (2, 0),
    (UP, NONE): (1, 0),
    (UP, DOWN): (1, 1),
    (DOWN, UP): (2, 0),
    (DOWN, NONE): (1, 0),
    (DOWN, DOWN): (1, 1),
}
"""Cleo's vote before and after a change, with the resulting tally of Bram's comment.

The tally includes Bram's own up vote.
"""


@pytest.fixture(autouse=True)
def _thread(site: VotingService) -> None:
    publish(site, POST, author=ADA)
    publish_comment(site, 1, author=BRAM)


@pytest.mark.parametrize(("turn", "counted"), TABLE.items())
def test_a_vote_is_a_state_and_never_a_toggle(
    site: VotingService, redis: Redis, turn: tuple[Vote, Vote], counted: tuple[int, int]
) -> None:
    before, wanted = turn
    vote(site, CLEO, 1, before)
    for repeat in range(2):
        ballot = vote(site, CLEO, 1, wanted)
        assert (ballot.up, ballot.down, ballot.vote) == (*counted, wanted)
        assert ballot.changed is (before is not wanted and repeat == 0)
    assert_comment_fits(redis, site, 1)


def test_vote_on_a_comment_does_not_move_its_post(site: VotingService) -> None:
    before = site.posts.get(POST, viewer=CLEO)
    vote(site, CLEO, 1)
    assert site.posts.get(POST, viewer=CLEO) == before
    assert [row.id for row in site.listings.page(Order.HOT, 1).rows] == [POST]


def test_voting_closes_a_week_after_the_comment_not_the_post(
    site: VotingService, clock: Clock
) -> None:
    clock.advance(WEEK)
    publish_comment(site, 2, author=BRAM)
    with pytest.raises(VotingClosed):
        vote(site, CLEO, 1)
    clock.advance(WEEK - 1)
    assert vote(site, CLEO, 2).closes_at == site.now() + 1
    clock.advance(1)
    with pytest.raises(VotingClosed) as closed:
        vote(site, CLEO, 2, DOWN)
    assert (closed.value.ballot.vote, closed.value.ballot.up) == (UP, 2), "the final vote"


def test_voter_set_of_a_comment_outlives_its_window_by_an_hour(
    site: VotingService, redis: Redis
) -> None:
    key = keys.voters(Target(POST, 1))
    assert redis.expiretime(key) == site.now() + WEEK + HOUR
    vote(site, BRAM, 1, NONE)
    assert not redis.exists(key)
    vote(site, CLEO, 1, DOWN)
    assert redis.expiretime(key) == site.now() + WEEK + HOUR, "also of a set that was empty"


def test_unknown_comment_accepts_no_votes(site: VotingService) -> None:
    for target in (Target(POST, 2), Target(99, 1)):
        with pytest.raises(UnknownTarget):
            site.votes.cast(CLEO, target, UP)


def test_parallel_votes_on_comments_give_exact_results(site: VotingService, redis: Redis) -> None:
    comments = (1, 2, 3)
    for number in comments[1:]:
        publish_comment(site, number, author=BRAM, answer=number == 3)
    changes: list[int] = []

    def votes(thread: int) -> None:
        chance, made = Random(thread), 0
        for _ in range(250):
            person, number = chance.randrange(1, 30), chance.choice(comments)
            made += vote(site, person, number, chance.choice(list(Vote))).changed
        changes.append(made)

    at_once(8, votes)
    for number in comments:
        assert_comment_fits(redis, site, number)
    entries = sum(len(ledger(redis, number)) for number in comments)
    assert entries == sum(changes) + len(comments), "one entry for each acknowledged change"


@pytest.mark.parametrize("seed", range(3))
def test_parallel_vote_and_deletion_leave_a_deleted_comment_with_a_correct_tally(
    site: VotingService, redis: Redis, seed: int
) -> None:
    counted: list[int] = []

    def meddle(thread: int) -> None:
        if thread == seed:
            site.comments.retract(POST, 1, 2)
            return
        for person in range(100 * thread, 100 * thread + 40):
            with suppress(UnknownTarget):
                counted.append(vote(site, 10 + person, 1).up)

    at_once(4, meddle)
    with pytest.raises(UnknownTarget):
        vote(site, DINA, 1)
    ups, _ = voters(redis, 1)
    assert len(ups) == 1 + len(counted), "every acknowledged vote is counted"
    assert tally_parts(str(redis.hget(keys.target(Target(POST, 1)), "tally"))).up == len(ups)
