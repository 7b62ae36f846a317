"""Statistics for staff: the numbers of each day, and how many new people come back."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from forum.actions import posts as post_actions
from forum.models import Flag, User
from forum.moderation.actions import removals
from forum.moderation.flags import services as flags
from forum.queries import statistics
from forum.queries.work_statistics import busy_groups, moderation_numbers
from forum.store.service import get_voting_service
from forum.templatetags.charts import bar_chart
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from tests.forum.outages import redis_down

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("one_day"),
    pytest.mark.dialect,
]


@pytest.fixture
def window() -> Client:
    return reader(person("stella", is_staff=True))


def joined(name: str, ago: int) -> User:
    """Create a person who signed up `ago` days ago."""
    return person(name, date_joined=datetime.now(UTC) - timedelta(days=ago))


def values(title: str) -> list[int]:
    """Return the numbers of the last three days in the statistics with this title."""
    today = get_voting_service().activity.today()
    series = [*statistics.active(today), *statistics.written(today)]
    return list(next(one.values for one in series if one.title == title)[-3:])


def test_statistics_of_each_day_are_exact(window: Client) -> None:
    ada, bob = joined("ada", 2), joined("bob", 1)
    post(ada)
    activity = get_voting_service().activity
    today = activity.today()
    for user, ago in ((ada, 2), (ada, 1), (bob, 1), (bob, 0)):
        activity.record(user.pk, today - timedelta(days=ago))
    assert values("Active people") == [1, 2, 1]
    assert values("Active people in the last 7 days, by day") == [1, 2, 2]
    assert values("Active people in the last 30 days, by day") == [1, 2, 2]
    assert values("Sign-ups") == [1, 1, 1], "today Stella"
    assert values("Posts") == [0, 0, 1]
    assert values("Comments") == [0, 0, 0]


def test_grid_shows_how_many_people_returned() -> None:
    activity = get_voting_service().activity
    today = activity.today()
    monday = today - timedelta(days=today.weekday() + 7)
    ago = (today - monday).days
    ada, bob = joined("ada", ago), joined("bob", ago)
    activity.record(ada.pk, monday)
    activity.record(bob.pk, monday + timedelta(days=1))
    activity.record(bob.pk, today)
    *_, last_week, this_week = statistics.retention(today)
    assert (last_week.week, last_week.people) == (monday, 2)
    assert (last_week.here, last_week.shares) == ((2, 1), [100, 50])
    assert (this_week.people, this_week.here) == (0, (0,))


def test_staff_see_charts_and_numbers_without_scripts_and_styles(window: Client) -> None:
    response = window.get("/admin/statistics/")
    page = response.content.decode()
    assert response.status_code == 200
    main = page.split('id="content-main"')[1].split("</main>")[0]
    assert main.count("<svg") == 7
    assert main.count("<rect") == 7 * 30
    assert len(re.findall(r'aria-labelledby="chart-\d-title chart-\d-desc"', main)) == 7
    assert main.count(">0</text>") == 7, "each chart has an axis"
    assert "style=" not in main
    assert "<script" not in main
    assert "Week 7" in main
    assert 'href="/admin/statistics/"' in window.get("/admin/").content.decode()


def test_charts_have_totals_if_days_add_up(window: Client) -> None:
    post(person("ada"))
    html = window.get("/admin/statistics/").content.decode()
    captions = re.findall(r"<figcaption>(.*?) <small[^>]*>(.*?)</small>", html)
    assert [title for title, says in captions if "In 30 days" in says] == [
        "Sign-ups", "Posts", "Comments", "Votes",
    ]  # fmt: skip
    assert "In 30 days: 1. By day." in dict(captions)["Posts"]


def test_axis_has_the_highest_number_its_half_and_zero() -> None:
    days = tuple(datetime.now(UTC).date() - timedelta(days=ago) for ago in range(30))
    for top, marks in ((0, [0]), (1, [0, 1]), (7, [0, 3, 7]), (1_000, [0, 500, 1_000])):
        chart = bar_chart(statistics.Series("Posts", days, (top,) * 30), "1")
        assert [line.value for line in chart["lines"]] == marks
        assert len(chart["dates"]) == 5


def test_busy_groups_come_first_with_their_posts_and_comments() -> None:
    ada, since = person("ada"), datetime.now(UTC) - timedelta(days=30)
    groups("books", "maths", "quiet")
    both = post(ada, slugs="books maths")
    add_comment(ada, both, "A comment.")
    deleted = post(ada, slugs="maths")
    post_actions.delete(deleted, by=ada)
    post(ada, slugs="books")
    found = [(one.slug, one.posts, one.comments) for one in busy_groups(since)]
    assert found == [("books", 2, 1), ("maths", 1, 1)]


def test_staff_see_the_moderators_work_and_what_waits(window: Client) -> None:
    ada, bob = person("ada"), person("bob")
    root = person("root", is_staff=True, is_superuser=True)
    spam, other = post(ada), post(ada)
    for target in (spam, other):
        flags.flag(target, by=bob, kind=Flag.Kind.SPAM, words="", to_admins=False)
    removals.remove(spam, by=root, reason="spam")
    numbers = moderation_numbers(datetime.now(UTC) - timedelta(days=30))
    assert (numbers.flags, numbers.decided, numbers.open) == (2, 1, 1)
    assert numbers.actions == [("removed", 1)]
    assert numbers.typical_seconds is not None
    html = window.get("/admin/statistics/").content.decode()
    assert "the oldest: just now" in html
    assert "half of them within" in html


def test_the_page_takes_the_same_queries_however_many_people(
    window: Client, django_assert_num_queries: Any
) -> None:
    window.get("/admin/statistics/")
    with django_assert_num_queries(15):
        window.get("/admin/statistics/")
    for number in range(10):
        joined(f"reader{number}", number)
    with django_assert_num_queries(15):
        window.get("/admin/statistics/")


def test_staff_see_how_many_votes_are_not_archived_yet(window: Client) -> None:
    post(person("ada"))
    assert "1 vote isn't in the vote log yet." in window.get("/admin/statistics/").content.decode()
    post(person("bob"))
    assert (
        "2 votes aren't in the vote log yet." in window.get("/admin/statistics/").content.decode()
    )


def test_staff_see_statistics_from_sql_while_redis_is_down(window: Client, settings: Any) -> None:
    with redis_down(settings):
        page = window.get("/admin/statistics/").content.decode()
    assert "Redis is unavailable" in page
    assert "archived" not in page
    main = page.split('id="content-main"')[1].split("</main>")[0]
    assert main.count("<svg") == 4


def test_admin_refuses_others() -> None:
    assert reader(person("bob")).get("/admin/statistics/", follow=True).status_code == 403
    response = reader().get("/admin/statistics/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/accounts/login/")
