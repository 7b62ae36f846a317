"""With VOTES_PER_DAY=auto, a vote moves a post further in `hot` if good posts get few votes."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from redis import Redis

from forum.config import environment
from forum.ledger import vote_value
from forum.ledger.votes_per_day import chosen, good_post
from forum.models import ArchivedVote, Post, User, VoteValue
from forum.operations.repair import check
from forum.operations.repair.rebuild import ensure_filled, ensure_scored
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.concurrency import run_at_once
from tests.forum.factories import post, reader
from tests.forum.past_posts import PastPost, archive_all, past_posts
from tests.voting.stored_state import assert_fits
from voting.types import Order, Row, Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)

VOTERS = range(700_001, 700_301)


def measured(ada: User, others: Sequence[int], *, days: float = 2.0) -> list[Post]:
    """For each number in `others`, create a post that has that many up votes."""
    return past_posts(ada, *(PastPost(days, ups=VOTERS[:count]) for count in others))


def value_of(votes_per_day: int, ago: int = 1) -> VoteValue:
    """Store a vote value, as if the site had measured it `ago` days ago."""
    at = datetime.fromtimestamp(get_voting_service().now(), UTC) - timedelta(days=ago)
    return VoteValue.objects.create(
        day=at.date(), at=at, votes_per_day=votes_per_day, measured=votes_per_day, posts=30
    )


def evaluated() -> tuple[int, int, int] | None:
    """Measure how many votes are worth one day in `hot`. Return None if the site can't measure it.

    Otherwise, return the measured value in votes per day, the number of votes that a good post
    got, and the number of posts that were measured.
    """
    value = vote_value.evaluate()
    return (value.votes_per_day, value.measured, value.posts) if value else None


def test_a_good_post_has_more_votes_than_nine_in_ten_others() -> None:
    assert good_post(range(1, 31)) == 27
    assert good_post([5]) == 5
    assert good_post([3] * 27 + [90] * 3) == 3
    assert good_post([3] * 26 + [90] * 4) == 90


def test_on_a_large_site_a_good_post_is_among_the_six_best_of_a_day() -> None:
    fortnight = [3] * 14 * 194 + [900] * 14 * 6
    assert good_post(fortnight) == 3
    assert good_post([*fortnight[1:], 901]) == 900
    assert good_post(range(1, 841)) == 756, "up to 60 posts a day, better than nine in ten"


@pytest.mark.parametrize(
    ("current", "good", "next_value"),
    [
        (20, 24, 20),
        (20, 25, 25),
        (20, 16, 20),
        (20, 15, 15),
        (20, 1, 4),
        (20, -5, 4),
        (200, 900, 900),
        (20, 9_000, 4_000),
        (3_400, 9_000, 4_000),
        (3_800, 4_000, 4_000),
        (3_400, 3_999, 3_400),
        (4_000, 3_300, 4_000),
        (4_000, 3_199, 3_199),
    ],
)
def test_the_number_changes_by_more_than_a_fifth_and_ends_at_exactly_4000(
    current: int, good: int, next_value: int
) -> None:
    assert chosen(current, [good] * 30) == next_value


def test_with_fewer_than_thirty_posts_the_number_stays(ada: User) -> None:
    assert chosen(20, [100] * 29) == 20
    measured(ada, [9] * 29)
    assert evaluated() is None
    assert vote_value.votes_per_day() == 20


def test_thirty_posts_are_measured_by_the_votes_of_their_first_day(ada: User) -> None:
    posts = measured(ada, [*range(1, 31)])
    assert evaluated() == (28, 28, 30), "27 votes of others, and the author's own"
    assert vote_value.weight() == 86_400 / 28
    assert ArchivedVote.objects.filter(post_id=posts[-1].pk).count() == 31


def test_later_votes_deleted_posts_and_other_fortnights_do_not_count(ada: User) -> None:
    posts = measured(ada, [9] * 30)
    late = ArchivedVote.objects.filter(post_id__in=[one.pk for one in posts])
    late.filter(user_id__in=VOTERS[:3]).update(at=posts[0].created_at + timedelta(days=1))
    deleted = measured(ada, [50] * 10)
    Post.objects.filter(pk__in=[one.pk for one in deleted]).update(deleted_at=deleted[0].created_at)
    measured(ada, [50] * 10, days=0.99)
    measured(ada, [50] * 10, days=15.01)
    assert evaluated() == (7, 7, 30)


def test_a_post_with_more_down_votes_than_up_votes_is_measured_below_zero(ada: User) -> None:
    past_posts(ada, *(PastPost(2, downs=VOTERS[:5]) for _ in range(30)))
    assert evaluated() == (4, -4, 30)


def test_vote_value_is_measured_once_a_day(ada: User) -> None:
    measured(ada, [9] * 30)
    value_of(10)
    assert evaluated() == (10, 10, 30)
    assert evaluated() is None


def test_on_quiet_days_the_last_number_stays(ada: User) -> None:
    value_of(50, ago=20)
    measured(ada, [3] * 5)
    assert evaluated() is None
    assert vote_value.votes_per_day() == 50


def test_concurrent_workers_leave_one_measurement(ada: User) -> None:
    measured(ada, [9] * 30)
    run_at_once(*[vote_value.evaluate] * 4)
    assert VoteValue.objects.values_list("votes_per_day", flat=True).get() == 10


def test_number_in_the_settings_fixes_the_vote_value(ada: User, new_rules: Any) -> None:
    value_of(10)
    measured(ada, [99] * 30)
    new_rules(weight=432.0)
    assert evaluated() is None
    assert (vote_value.votes_per_day(), vote_value.weight()) == (200, 432.0)


@pytest.mark.parametrize(("given", "read"), [("", None), ("auto", None), ("Auto", None), ("7", 7)])
def test_the_setting_is_auto_or_a_number(
    monkeypatch: pytest.MonkeyPatch, given: str, read: int | None
) -> None:
    monkeypatch.setenv("VOTES_PER_DAY", given)
    assert environment.votes_per_day() == read


@pytest.mark.parametrize("given", ["0", "many", "-3", "86401"])
def test_invalid_setting_is_refused_with_valid_ones(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("VOTES_PER_DAY", given)
    with pytest.raises(ImproperlyConfigured, match=r"from 1 to 86400\. You can also give auto\."):
        environment.votes_per_day()


def test_a_new_number_moves_posts_in_redis_and_in_sql(ada: User) -> None:
    liked, newer = past_posts(ada, PastPost(3, ups=VOTERS[:9]), PastPost(1.5))
    post_sync.deliver([liked.pk, newer.pk])
    assert [row.id for row in get_voting_service().listings.page(Order.HOT, 1).rows] == [
        newer.pk,
        liked.pk,
    ]
    value_of(5)
    assert ensure_scored()
    assert not ensure_scored(), "nothing is left to score"
    assert [row.id for row in get_voting_service().listings.page(Order.HOT, 1).rows] == [
        liked.pk,
        newer.pk,
    ]
    for one in Post.objects.all():
        points = one.up - one.down
        assert (
            one.score
            == get_voting_service().posts.standing(one.pk).score
            == one.posted_at + points * 86_400 / 5
        )
    assert list(check.differences()) == []


def test_closed_posts_are_scored_by_the_new_number_too(ada: User) -> None:
    (old,) = past_posts(ada, PastPost(30, ups=VOTERS[:9]))
    post_sync.deliver([old.pk])
    value_of(5)
    ensure_scored()
    assert get_voting_service().posts.standing(old.pk).score == old.posted_at + 10 * 86_400 / 5


def test_a_redis_that_was_emptied_is_filled_by_the_number_in_force(ada: User, redis: Redis) -> None:
    value_of(5)
    written = post(ada)
    redis.flushdb()
    assert ensure_filled()
    assert get_voting_service().posts.standing(written.pk).score == written.posted_at + 86_400 / 5
    assert not ensure_scored(), "nothing is left to score"


def test_votes_and_posts_amid_a_change_all_end_at_the_last_number(ada: User, redis: Redis) -> None:
    """The effect of a vote on `hot` changes four times while people vote and publish."""
    posts = past_posts(ada, *(PastPost(days / 4, slugs="books maths") for days in range(12)))
    post_sync.deliver([one.pk for one in posts])

    def votes(person: int) -> None:
        for turn in range(300):
            vote = (Vote.UP, Vote.DOWN, Vote.NONE)[turn % 3]
            get_voting_service().votes.cast(
                VOTERS[person], Target(posts[turn * person % 12].pk), vote
            )

    with ThreadPoolExecutor(6) as people:
        cast = [people.submit(votes, person) for person in range(1, 7)]
        for ago, votes_per_day in ((4, 4), (3, 200), (2, 11), (1, 7)):
            value_of(votes_per_day, ago)
            ensure_scored()
            archive_all()
            post(ada, slugs="books")
        for person in cast:
            person.result()
    archive_all()
    weight = 86_400 / 7
    for one in Post.objects.all():
        points = one.up - one.down
        right = one.posted_at + points * (weight if points >= 0 else max(weight, 28_800))
        assert one.score == right, f"SQL keeps post {one.pk} by 7 votes a day"
        assert get_voting_service().posts.standing(one.pk).score == right
        assert redis.zscore("{rank}:hot", f"{one.pk:010d}") == right, (
            "the ranking has the same score"
        )
    assert_fits(redis, get_voting_service(), [one.pk for one in posts], whole_ledger=False)
    assert list(check.differences()) == []


def test_current_number_is_on_about_and_on_posts(ada: User) -> None:
    value_of(48)
    ensure_scored()
    about = reader().get("/about").content.decode()
    assert "48 votes change this time by one day" in about
    assert "30 minutes newer" in about
    html = reader().get(post(ada).get_absolute_url()).content.decode()
    assert "<dt>Effect of one vote</dt><dd>30 minutes</dd>" in html


@pytest.mark.parametrize(
    ("votes_per_day", "effect"),
    [(200, "7.2 minutes"), (1_440, "1 minute"), (2_000, "43.2 seconds"), (4_000, "21.6 seconds")],
)
def test_effect_of_one_vote_on_a_large_site_is_in_seconds(
    ada: User, votes_per_day: int, effect: str
) -> None:
    value_of(votes_per_day)
    ensure_scored()
    html = reader().get(post(ada).get_absolute_url()).content.decode()
    assert f"<dt>Effect of one vote</dt><dd>{effect}</dd>" in html


def test_large_site_scores_by_4000_votes_a_day_in_redis_and_in_sql(ada: User) -> None:
    liked, sunk, newer = past_posts(
        ada, PastPost(3, ups=VOTERS), PastPost(2.5, downs=VOTERS[:4]), PastPost(2.9)
    )
    post_sync.deliver([liked.pk, sunk.pk, newer.pk])
    value_of(4_000)
    ensure_scored()
    rows = get_voting_service().listings.page(Order.HOT, 1).rows
    assert [row.id for row in rows] == [newer.pk, liked.pk, sunk.pk]
    scores = {each.pk: each.score - each.posted_at for each in Post.objects.all()}
    assert scores[liked.pk] == pytest.approx(301 * 21.6)
    assert scores[sunk.pk] == -3 * 28_800, "below zero, each point still takes 8 hours"
    assert list(check.differences()) == []


@pytest.fixture
def staff(ada: User) -> Client:
    """The browser of Ada, who is a superuser here."""
    ada.is_staff = ada.is_superuser = True
    ada.save()
    return reader(ada)


def test_staff_see_the_number_in_force_and_its_history(staff: Client) -> None:
    value_of(12, ago=2)
    value_of(48, ago=1)
    html = staff.get("/admin/forum/votevalue/").content.decode()
    assert (
        "In the Hot list, each vote currently makes a post count as 30 minutes newer"
        " (48 votes are worth one day)." in html
    )
    assert "The site measures the value of a vote once a day (VOTES_PER_DAY=auto)." in html
    assert html.index(">30 minutes<") < html.index(">2 hours<"), "the latest first"
    assert "/admin/forum/votevalue/add/" not in html


def test_staff_read_that_the_settings_fix_the_number(staff: Client, new_rules: Any) -> None:
    new_rules(weight=432.0)
    html = staff.get("/admin/forum/votevalue/").content.decode()
    assert (
        "In the Hot list, each vote currently makes a post count as 7.2 minutes newer"
        " (200 votes are worth one day)." in html
    )
    assert "The value of a vote comes from the setting VOTES_PER_DAY." in html


@pytest.mark.usefixtures("demo")
@pytest.mark.long
def test_the_demo_shows_hot_in_another_order_than_new() -> None:
    assert evaluated() == (20, 24, 61), "24 differs from 20 by no more than a fifth"
    rows, since = ranked(Order.HOT), get_voting_service().now() - 2 * 86_400
    places = {row.id: place for place, row in enumerate(rows)}
    late = [row for row in ranked(Order.NEW) if row.posted_at > since]
    pairs = list(combinations(late, 2))
    moved = sum(places[one.id] > places[other.id] for one, other in pairs)
    assert 0.1 <= moved / len(pairs) <= 0.4
    sunk = min(rows, key=lambda row: row.points)
    assert sunk.points <= -3
    day = [row for row in rows if row.points > 0 and abs(row.posted_at - sunk.posted_at) < 86_400]
    assert places[sunk.id] > max(places[row.id] for row in day), "below all posts of its day"


def ranked(order: Order) -> list[Row]:
    """Return the rows of all posts in a listing."""
    pages = range(1, get_voting_service().listings.page(order, 1).pages + 1)
    return [
        row for number in pages for row in get_voting_service().listings.page(order, number).rows
    ]
