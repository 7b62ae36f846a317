"""Starting points count for a post's rank like votes, and votes come on top of them."""

from dataclasses import replace

import pytest
from redis import Redis

from tests.voting.sites import ADA, BRAM, CLEO, WEEK, Clock, listed, made, publish, record, vote
from tests.voting.stored_state import ledger
from voting import keys
from voting.errors import VotingClosed
from voting.redis.encoding import tally_parts
from voting.service import VotingService
from voting.types import Order, Post, Target, Vote


def load(site: VotingService, post_id: int, points: int, *, ago: int = 0) -> Post:
    """Load a post with starting points and its author's up vote, as a rebuild does."""
    post = made(site, post_id, ago=ago)
    site.maintenance.loading.load_posts([replace(record(post), starting_points=points)])
    return post


def points(site: VotingService, post_id: int) -> int:
    return site.posts.get(post_id)[0].points


def hot(site: VotingService, post_id: int) -> float:
    return site.posts.standing(post_id).score


@pytest.mark.parametrize("order", [Order.HOT, Order.TOP_DAY, Order.TOP_ALL])
def test_posts_are_ranked_by_their_starting_points(site: VotingService, order: Order) -> None:
    for post_id, start in ((1, 3), (2, 40), (3, -9)):
        load(site, post_id, start)
    publish(site, 4)
    assert listed(site, order) == [2, 1, 4, 3]
    assert listed(site, order, group="python") == [2, 1, 4, 3]


def test_vote_comes_on_top_and_is_taken_back(site: VotingService, redis: Redis) -> None:
    post = load(site, 7, 140)
    ballot = vote(site, BRAM, 7)
    assert (ballot.up, ballot.down, ballot.points) == (2, 0, 142)
    assert points(site, 7) == 142
    assert hot(site, 7) == site.posts.hot_score(post.posted_at, 142)
    assert vote(site, BRAM, 7).points == 142, "the same vote again changes nothing"
    assert vote(site, BRAM, 7, Vote.DOWN).points == 140
    assert vote(site, BRAM, 7, Vote.NONE).points == 141
    assert points(site, 7) == 141
    assert hot(site, 7) == site.posts.hot_score(post.posted_at, 141)
    assert site.maintenance.inspection.posts([7])[7].misplaced == ()
    assert ledger(redis, 7) == [(BRAM, 1, 2, 0), (BRAM, -1, 1, 1), (BRAM, 0, 1, 0)]


def test_post_without_any_vote_left_can_be_voted_on(site: VotingService) -> None:
    load(site, 7, 140)
    assert vote(site, ADA, 7, Vote.NONE).points == 140
    assert vote(site, CLEO, 7).points == 141


def test_closed_vote_is_refused_with_all_points(site: VotingService, clock: Clock) -> None:
    load(site, 7, 140)
    clock.advance(WEEK)
    with pytest.raises(VotingClosed) as refused:
        vote(site, BRAM, 7)
    assert refused.value.ballot.points == 141


def test_edit_and_return_of_a_post_keep_its_starting_points(site: VotingService) -> None:
    post = load(site, 7, 140)
    vote(site, BRAM, 7)
    site.posts.publish(replace(post, groups=("rust",), version=2))
    assert points(site, 7) == 142
    site.posts.retract(7, 3)
    site.posts.publish(replace(post, version=4))
    assert points(site, 7) == 142
    assert site.maintenance.inspection.posts([7])[7].misplaced == ()


def test_reloaded_post_gets_the_new_starting_points(site: VotingService) -> None:
    post = load(site, 7, 140)
    last = site.maintenance.loading.last_changes([Target(7)])[Target(7)]
    for start, sum_of_points in ((-5, -4), (0, 1)):
        changed = replace(record(post), starting_points=start)
        assert site.maintenance.loading.reload_posts([changed], {7: last}) == {7}
        assert points(site, 7) == sum_of_points


def test_standing_counts_the_votes_that_the_post_needs(site: VotingService) -> None:
    load(site, 1, 10)
    load(site, 2, 7)
    standing = site.posts.standing(2)
    assert (standing.up, standing.starting_points, standing.points) == (1, 7, 8)
    assert (standing.rank, standing.next_id, standing.votes_to_next) == (2, 1, 3)


def test_post_without_starting_points_is_stored_as_before(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 7)
    vote(site, BRAM, 7)
    text = str(redis.hget(keys.post(7), "tally"))
    assert len(text.split()) == 3, "older processes can still read it"
    assert tally_parts(text).starting_points == 0
