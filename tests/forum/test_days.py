"""Readers see the best posts of each day, in the order that they had when the day ended."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from forum.actions import following
from forum.actions import posts as post_actions
from forum.ledger import finished_days
from forum.ledger.archiver import archive_rest
from forum.models import DayPost, FinishedDay, LedgerEntry, Post, User
from forum.queries.days import DAY
from forum.store.service import get_voting_service
from tests.forum.factories import person, post, posts, reader
from tests.forum.pages import get_html, titles
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
POINTS = re.compile(r'data-points="(-?[0-9]+)"')
TODAY = timezone.now().date()
TWO_DAYS_AGO = TODAY - 2 * DAY
NOON = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=2)


def vote(person: User, on: Post, choice: Vote) -> None:
    """Vote on a post, and archive the vote."""
    get_voting_service().votes.cast(person.pk, Target(on.pk), choice)
    archive_rest(get_voting_service().maintenance.generations.current())


@pytest.fixture
def two(ada: User) -> tuple[Post, Post]:
    """The posts "First" and "Second" of the day before yesterday. "First" has one more point."""
    first, second = post(ada, "First"), post(ada, "Second")
    vote(person("bob"), first, Vote.UP)
    Post.objects.update(created_at=NOON)
    LedgerEntry.objects.update(at=NOON)
    return first, second


def test_finished_day_keeps_its_order_whatever_the_votes(two: tuple[Post, Post]) -> None:
    finished_days.finish()
    for name in ("cleo", "dan"):
        vote(person(name), two[1], Vote.UP)
    assert titles(get_html(f"/day/{TWO_DAYS_AGO}")) == ["First", "Second"]
    assert list(DayPost.objects.order_by("rank").values_list("points", flat=True)) == [2, 1]


def test_rows_of_a_finished_day_show_the_points_of_its_end(two: tuple[Post, Post]) -> None:
    finished_days.finish()
    for name in ("cleo", "dan", "eve"):
        vote(person(name), two[1], Vote.UP)
    year, week, _day = TWO_DAYS_AGO.isocalendar()
    for path in (f"/day/{TWO_DAYS_AGO}", f"/week/{year}-W{week:02}"):
        assert POINTS.findall(get_html(path)) == ["2", "1"], path
    assert POINTS.findall(get_html("/top?t=all")) == ["4", "2"]


def test_posts_without_points_at_the_days_end_are_not_among_its_best(
    two: tuple[Post, Post],
) -> None:
    finished_days.finish()
    DayPost.objects.filter(post=two[1]).update(points=0)
    year, week, _day = TWO_DAYS_AGO.isocalendar()
    for path in (f"/day/{TWO_DAYS_AGO}", f"/week/{year}-W{week:02}"):
        assert titles(get_html(path)) == ["First"], path
    DayPost.objects.update(points=-1)
    page = get_html(f"/day/{TWO_DAYS_AGO}")
    assert "No post of this day had more than zero points." in page
    assert "Be the first to post" not in page


def test_day_shows_ten_posts_and_more_on_its_next_page(ada: User) -> None:
    posts(ada, 12)
    Post.objects.update(created_at=NOON)
    LedgerEntry.objects.update(at=NOON)
    finished_days.finish()
    first = get_html(f"/day/{TWO_DAYS_AGO}")
    assert len(titles(first)) == 10
    assert f'href="/day/{TWO_DAYS_AGO}?p=2"' in first
    rest = get_html(f"/day/{TWO_DAYS_AGO}?p=2")
    assert len(titles(rest)) == 2
    assert '<ol class="rows" start="11">' in rest


def test_votes_after_the_days_end_do_not_count(two: tuple[Post, Post]) -> None:
    for name in ("cleo", "dan"):
        vote(person(name), two[1], Vote.UP)
    finished_days.finish()
    assert titles(get_html(f"/day/{TWO_DAYS_AGO}")) == ["First", "Second"]


def test_changed_vote_counts_as_it_was_at_the_days_end(two: tuple[Post, Post]) -> None:
    vote(User.objects.get(username="bob"), two[0], Vote.DOWN)
    finished_days.finish()
    assert DayPost.objects.get(post=two[0]).points == 2


def test_votes_of_posts_without_a_log_are_counted_by_their_time(two: tuple[Post, Post]) -> None:
    LedgerEntry.objects.all().delete()
    finished_days.finish()
    assert FinishedDay.objects.filter(day=TWO_DAYS_AGO).exists()
    assert {one.points for one in DayPost.objects.all()} == {0}, "all votes are from today"


def test_today_is_in_present_order_and_says_so(ada: User) -> None:
    post(ada, "First")
    best = post(ada, "Second")
    vote(person("bob"), best, Vote.UP)
    Post.objects.filter(pk=best.pk).update(up=2)
    page = get_html(f"/day/{TODAY}")
    assert titles(page) == ["Second", "First"]
    assert "until the day is over" in page


def test_deleted_posts_disappear_from_a_finished_day(two: tuple[Post, Post]) -> None:
    finished_days.finish()
    post_actions.delete(two[0])
    assert titles(get_html(f"/day/{TWO_DAYS_AGO}")) == ["Second"]


def test_days_and_weeks_link_to_each_other(two: tuple[Post, Post], client: Client) -> None:
    finished_days.finish()
    page = get_html(f"/day/{TWO_DAYS_AGO}")
    year, week, _day = TWO_DAYS_AGO.isocalendar()
    assert f'href="/day/{TWO_DAYS_AGO + DAY}" rel="next"' in page
    assert 'rel="prev"' not in page
    assert f'href="/week/{year}-W{week:02}"' in page
    page = get_html(f"/week/{year}-W{week:02}")
    assert titles(page) == ["First", "Second"]
    assert f'href="/day/{TWO_DAYS_AGO}"' in page
    assert client.get("/day/")["Location"] == f"/day/{TODAY - DAY}"
    assert "/day/" in get_html("/top")


@pytest.mark.parametrize(
    "path",
    [f"/day/{TODAY + DAY}", f"/day/{TWO_DAYS_AGO - DAY}", "/day/2026-02-30", "/week/2001-W01"],
)
def test_days_to_come_before_the_first_post_or_that_never_were_are_not_found(
    two: tuple[Post, Post], client: Client, path: str
) -> None:
    assert client.get(path).status_code == 404


def test_days_are_finished_once_and_again_after_an_import(two: tuple[Post, Post]) -> None:
    finished_days.finish()
    assert DayPost.objects.count() == 2
    finished_days.forget({TWO_DAYS_AGO})
    assert not DayPost.objects.exists()
    finished_days.finish()
    assert DayPost.objects.count() == 2


def test_day_is_not_finished_while_votes_wait_to_be_archived(two: tuple[Post, Post]) -> None:
    get_voting_service().votes.cast(person("cleo").pk, Target(two[1].pk), Vote.UP)
    finished_days.finish()
    assert not FinishedDay.objects.exists()


@pytest.fixture
def best(ada: User) -> Post:
    """The best post of yesterday, after another one that has no points."""
    written, low = post(ada, "Best of all"), post(ada, "Low")
    Post.objects.update(created_at=timezone.now() - DAY)
    day = FinishedDay.objects.create(day=TODAY - DAY)
    DayPost.objects.create(day=day, rank=1, post=written, points=3)
    DayPost.objects.create(day=day, rank=2, post=low, points=0)
    return written


@pytest.mark.parametrize("path", ["/", "/new", "/active", "/top?t=all"])
def test_best_of_yesterday_is_beside_the_sites_lists(best: Post, path: str) -> None:
    beside = get_html(path).partition('<h2 id="yesterday">')[2]
    assert f'<li><a href="{best.get_absolute_url()}" dir="auto">Best of all</a></li>' in beside
    assert "Low" not in beside


def test_best_of_yesterday_is_read_once_for_many_pages(
    best: Post, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    window = reader(ada)
    get_html("/", window)
    with django_assert_num_queries(0):
        assert "Best of all" in get_html("/new", window)
        assert "Best of all" in get_html("/top", window)


def test_best_of_yesterday_leaves_out_blocked_people(best: Post, bob: User) -> None:
    following.block(bob, best.author, on=True)
    assert 'id="yesterday"' not in get_html("/", bob)
    assert 'id="yesterday"' in get_html("/", person("cleo"))
