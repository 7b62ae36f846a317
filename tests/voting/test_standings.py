"""A post's standing: its rank in `hot`, and the up votes that it needs to pass the post above."""

from itertools import count

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from tests.voting.sites import BRAM, CLEO, DAY, Clock, crowd, listed, publish, site_at, vote
from voting.scores import MOST_VOTES, hot_score, votes_to_pass
from voting.service import VotingService
from voting.types import Formula, Order, Rules, Vote

RULES = [
    Rules(),
    Rules(weight=86_400 / 7),
    Rules(weight=1.0),
    Rules(formula=Formula.LOG),
]
every_rule = pytest.mark.parametrize("rules", RULES, ids=Rules.signature)


def test_hot_score_is_the_posting_time_plus_the_value_of_the_votes(site: VotingService) -> None:
    written = publish(site, 1)
    crowd(site, 1, ups=9, downs=2)
    standing = site.posts.standing(1)
    assert (standing.posted_at, standing.up, standing.down) == (written.posted_at, 10, 2)
    assert standing.vote_seconds == 8 * 432
    assert standing.score == written.posted_at + 8 * 432


def test_first_post_has_no_post_to_pass(site: VotingService) -> None:
    publish(site, 1)
    standing = site.posts.standing(1)
    assert (standing.rank, standing.total) == (1, 1)
    assert (standing.next_id, standing.votes_to_next) == (None, None)


def test_post_without_a_rank_still_has_a_score() -> None:
    small = site_at(settings.REDIS_URL, Rules(ranking_limit=2))
    for post_id in (1, 2, 3):
        publish(small, post_id, ago=10 * (3 - post_id))
    standing = small.posts.standing(1)
    assert (standing.rank, standing.next_id, standing.votes_to_next) == (None, None, None)
    assert standing.score == standing.posted_at + 432


def test_standings_of_many_posts_equal_those_of_each(site: VotingService) -> None:
    for post_id in range(1, 8):
        publish(site, post_id, ago=post_id)
        crowd(site, post_id, ups=post_id % 3, downs=post_id % 2)
    site.posts.retract(5)
    found = site.posts.standings([3, 5, 404, 1])
    assert found == {3: site.posts.standing(3), 1: site.posts.standing(1)}
    ranks = site.posts.standings(listed(site, Order.HOT)).values()
    assert [standing.rank for standing in ranks] == [1, 2, 3, 4, 5, 6]
    assert site.posts.standings([]) == {}


def test_an_equal_score_suffices_for_the_newer_post_only(site: VotingService) -> None:
    for post_id in (1, 2):
        publish(site, post_id)
    crowd(site, 1, ups=3)
    assert site.posts.standing(2).votes_to_next == 3, (
        "with 3 votes both have 4 points, and 2 is newer"
    )
    crowd(site, 2, ups=5)
    assert site.posts.standing(1).votes_to_next == 3, (
        "the older post needs one point more than the other"
    )


@every_rule
def test_exactly_so_many_up_votes_pass_the_post_above_and_one_fewer_does_not(
    clock: Clock, rules: Rules
) -> None:
    site = site_at(settings.REDIS_URL, rules, clock=clock)
    site.maintenance.generations.open()
    people = count(10_000)
    for post_id, ago, ups, downs in (
        (1, 0, 1, 0),
        (2, 0, 3, 0),
        (3, 1, 0, 3),
        (4, 40, 12, 1),
        (5, 40, 2, 9),
        (6, 8 * 432, 7, 0),
        (7, 8 * 432 + 1, 0, 0),
    ):
        publish(site, post_id, ago=ago)
        crowd(site, post_id, ups, downs)
    for post_id in reversed(listed(site, Order.HOT)):
        before = site.posts.standing(post_id)
        above, votes = before.next_id, before.votes_to_next
        if above is None or votes is None or votes > 3_000:
            continue
        for _ in range(votes - 1):
            vote(site, next(people), post_id)
        order = listed(site, Order.HOT)
        assert order.index(above) < order.index(post_id), (
            f"with {votes - 1} votes, one fewer than it needs, post {post_id} stays below {above}"
        )
        vote(site, next(people), post_id)
        order = listed(site, Order.HOT)
        assert order.index(post_id) < order.index(above), (
            f"with the {votes} votes it needs post {post_id} passes {above}"
        )


@every_rule
@given(data=st.data())
def test_votes_to_pass_is_the_smallest_number_that_passes(
    rules: Rules, data: st.DataObject
) -> None:
    times = st.integers(0, 2**31 - 1)
    some = st.integers(-(10**6), 10**6)
    posted_at, points = data.draw(times), data.draw(some)
    near = st.integers(posted_at - 9 * DAY, posted_at + 9 * DAY)
    other = hot_score(rules, data.draw(near | times), data.draw(some))
    wins_ties = data.draw(st.booleans())
    votes = votes_to_pass(rules, posted_at, points, other, wins_ties=wins_ties)

    def passes(more: int) -> bool:
        mine = hot_score(rules, posted_at, points + more)
        return mine > other or (wins_ties and mine == other)

    if votes is None:
        assert not passes(MOST_VOTES - 1), (
            "None only if it would take more votes than there are people"
        )
    else:
        assert passes(votes), f"{votes} votes pass"
        assert votes == 1 or not passes(votes - 1), f"{votes - 1} do not"


@pytest.mark.parametrize("points", [-1, -7, -1_000])
def test_post_below_zero_knows_the_votes_it_needs(points: int) -> None:
    rules = Rules(formula=Formula.LOG)
    votes = votes_to_pass(rules, 1_000_000, points, 1_000_000.0, wins_ties=False)
    assert votes == 2 - points, "under `log` 0 and 1 points are worth the same: nothing"


def test_withdrawn_votes_lower_the_standing(site: VotingService) -> None:
    publish(site, 1, ago=400)
    publish(site, 2)
    assert site.posts.standing(1).rank == 2
    vote(site, BRAM, 1)
    assert site.posts.standing(1).rank == 1
    vote(site, BRAM, 1, Vote.NONE)
    vote(site, CLEO, 1, Vote.DOWN)
    assert site.posts.standing(1).rank == 2
    assert site.posts.standing(1).score == site.posts.standing(1).posted_at
