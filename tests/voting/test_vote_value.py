"""The vote value is the number of seconds that a vote adds to a post's hot score."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from tests.voting.sites import DAY, HOUR, crowd, listed, publish, site_at, vote
from tests.voting.stored_state import assert_fits
from voting.scores import hot_score
from voting.service import VotingService
from voting.types import Formula, Order, Rules, Vote

SEVERAL = [Rules(), Rules(weight=4_320.0), Rules(weight=DAY / 4), Rules(weight=float(DAY))]
BOTH = [*SEVERAL, Rules(formula=Formula.LOG)]
every_rule = pytest.mark.parametrize("rules", BOTH, ids=Rules.signature)


def test_running_process_uses_a_new_vote_value_at_once(site: VotingService) -> None:
    written = publish(site, 7)
    other = site_at(settings.REDIS_URL, Rules(weight=1.0))
    other.maintenance.generations.set_vote_seconds(5_000.0)
    vote(site, 50, 7)
    assert (
        site.posts.standing(7).score
        == other.posts.standing(7).score
        == written.posted_at + 2 * 5_000
    )
    assert site.posts.standing(7).one_vote == 5_000
    assert not site.maintenance.inspection.posts([7])[7].misplaced, (
        "the check uses the current vote value"
    )


def test_fractional_vote_value_is_exact_in_every_process(site: VotingService) -> None:
    written = publish(site, 7)
    site.maintenance.generations.set_vote_seconds(DAY / 7)
    crowd(site, 7, ups=12, downs=0)
    assert site.maintenance.inspection.posts([7])[7].hot == written.posted_at + 13 * (DAY / 7)


def test_scores_count_as_outdated_until_all_are_computed_again(
    site: VotingService,
) -> None:
    assert site.maintenance.generations.has_current_rules()
    site.maintenance.generations.set_vote_seconds(864.0)
    assert not site.maintenance.generations.has_current_rules(864.0), (
        "posts still have the scores they had"
    )
    assert not site.maintenance.generations.has_current_rules(), (
        "and the earlier vote value is replaced"
    )
    site.maintenance.generations.record_rules(864.0)
    assert site.maintenance.generations.has_current_rules(864.0)
    assert not site.maintenance.generations.has_current_rules()


def test_votes_during_a_change_never_mix_two_vote_values(site: VotingService, redis: Redis) -> None:
    """Eight people vote while the vote value changes and all posts are loaded again."""
    posts = {n: publish(site, n, groups=("python", "redis")) for n in range(1, 9)}

    def votes(person: int) -> None:
        for turn in range(200):
            wanted = Vote.DOWN if turn % 3 else Vote.UP
            vote(site, 50 + person, 1 + (turn * person) % 8, wanted)

    def changes() -> None:
        for weight in (864.0, 21_600.0, 432.0, 1_234.5):
            site.maintenance.generations.set_vote_seconds(weight)
            for post in posts.values():
                site.posts.publish(post)

    with ThreadPoolExecutor(9) as pool:
        list(pool.map(lambda number: votes(number) if number else changes(), range(9)))
    last = Rules(weight=1_234.5)
    for row in site.posts.rows(list(posts)):
        assert site.posts.standing(row.id).score == hot_score(last, row.posted_at, row.points)
    assert_fits(redis, site, posts)


@every_rule
@given(points=st.integers(1, 10**6), apart=st.integers(0, DAY - 1))
def test_post_at_minus_three_ranks_below_all_positive_posts_of_its_day(
    rules: Rules, points: int, apart: int
) -> None:
    posted_at = 1_700_000_000
    sunk = hot_score(rules, posted_at, -3)
    assert sunk < hot_score(rules, posted_at - apart, points)
    assert sunk <= posted_at - DAY


@every_rule
@given(points=st.integers(-(10**6), 10**6))
def test_another_up_vote_never_lowers_a_post(rules: Rules, points: int) -> None:
    assert hot_score(rules, 0, points + 1) >= hot_score(rules, 0, points)
    assert hot_score(rules, 0, 0) == 0


@every_rule
def test_post_at_minus_three_is_last_of_its_day_in_hot(rules: Rules) -> None:
    site = site_at(settings.REDIS_URL, rules)
    site.maintenance.generations.open()
    for hour in range(24):
        publish(site, hour + 1, ago=hour * HOUR)
    crowd(site, 1, ups=0, downs=4)
    crowd(site, 5, ups=0, downs=1)
    assert listed(site, Order.HOT)[-1] == 1
    assert site.posts.standing(1).score <= site.posts.standing(1).posted_at - DAY
    assert not site.maintenance.inspection.posts([1])[1].misplaced, (
        "Redis computes what Python does"
    )
