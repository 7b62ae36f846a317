"""Listings: which posts they contain, in which order and on which page, and the cost of a page."""

import re
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from redis import Redis

from forum.models import ArchivedVote, Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import make_older, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids, titles
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


def vote(written: Post, people: list[User], value: Vote = Vote.UP) -> None:
    for someone in people:
        get_voting_service().votes.cast(someone.pk, Target(written.pk), value)


def test_front_page_shows_hot_posts_and_new_the_latest(ada: User) -> None:
    first, second = post(ada, "First"), post(ada, "Second")
    vote(first, [person("bob")])
    assert titles(get_html("/")) == ["First", "Second"]
    assert titles(get_html("/new")) == ["Second", "First"]
    assert post_ids(get_html("/?dir=asc")) == [second.pk, first.pk]
    assert post_ids(get_html("/new?dir=asc")) == [first.pk, second.pk]


@pytest.mark.parametrize("span", ["", "?t=day", "?t=week", "?t=month", "?t=all"])
def test_top_ranks_by_votes_alone(ada: User, span: str) -> None:
    first, second = post(ada, "First"), post(ada, "Second")
    bob = person("bob")
    vote(first, [bob])
    vote(second, [bob], Vote.DOWN)
    assert titles(get_html(f"/top{span}")) == ["First", "Second"]


def test_row_shows_title_domain_points_author_age_and_groups(ada: User) -> None:
    written = post(ada, "A & B", kind="link", url="https://www.example.org/x", slugs="books maths")
    html = get_html("/")
    assert 'data-points="1" data-ups="1" data-downs="0" data-vote="none"' in html
    assert (
        f'<a href="https://www.example.org/x" ping="http://testserver/p/{written.pk}/out"'
        ' rel="ugc nofollow noopener" dir="auto">A &amp; B' in html
    )
    assert '(<a href="/site/example.org/">example.org</a>)' in html
    assert "1 point<" in html
    at = rf"{written.created_at:%-d %B %Y, %H:%M} UTC"
    assert re.search(rf'<time datetime="[^"]+\+00:00" title="{at}">just now</time>', html)
    assert written.get_absolute_url() in html
    for path in ("/u/ada/", "/g/books/", "/g/maths/"):
        assert f'href="{path}"' in html


def test_pages_are_numbered_and_the_last_says_so(ada: User) -> None:
    written = posts(ada, 26)
    first, second = get_html("/new"), get_html("/new?p=2")
    assert len(post_ids(first)) == 25
    assert post_ids(second) == [written[0].pk]
    assert '<ol class="rows" start="1">' in first
    assert '<ol class="rows" start="26">' in second
    after = f"{written[1].posted_at}_{written[1].pk}"
    assert f'<a class="step" href="/new?p=2&amp;after={after}" rel="next">Next</a>' in first
    assert '<a class="step" href="/new" rel="prev">Previous</a>' in second
    assert '<a href="/new?p=2" aria-current="page">2</a>' in second
    assert "End of list" not in first
    assert "End of list" in second


def test_page_past_the_end_links_to_the_last(ada: User) -> None:
    posts(ada, 26)
    response = reader().get("/new?dir=asc&p=3")
    html = response.content.decode()
    assert response.status_code == 404
    assert "This list has 2 pages." in html
    assert 'href="/new?dir=asc&amp;p=2"' in html


@pytest.mark.parametrize(
    "query", ["?p=0", "?p=-1", "?p=x", "?p=", "?p=1.5", "?p=²", f"?p={'9' * 5_000}"]
)
def test_invalid_page_number_is_not_found(query: str) -> None:
    assert reader().get(f"/{query}").status_code == 404


@pytest.mark.parametrize("path", ["/?p=999999999999", "/best", "/best/", "/new/2"])
def test_unknown_addresses_are_not_found(path: str) -> None:
    assert reader().get(path).status_code == 404


@pytest.mark.parametrize("path", ["/top?t=year", "/g/books/top?t=year&dir=foo", "/top?t="])
def test_unknown_period_shows_the_day_and_all_periods(ada: User, path: str) -> None:
    written = post(ada, slugs="books")
    html = get_html(path)
    assert post_ids(html) == [written.pk]
    shown = html[html.index('class="variants"') :]
    assert re.search(r'aria-current="page">Day</a>', shown)
    for span in ("week", "month", "all"):
        assert f'top?t={span}"' in shown


def test_unknown_direction_shows_the_usual_one(ada: User) -> None:
    posts(ada, 2)
    assert post_ids(get_html("/new?dir=foo")) == post_ids(get_html("/new"))


def test_an_empty_site_says_so_and_invites() -> None:
    html = get_html("/")
    assert "Nothing here yet." in html
    assert 'href="/submit"' in html
    assert "<ol" not in html


def test_people_see_their_own_votes_and_guests_none(ada: User) -> None:
    liked, disliked, other = (post(ada, title) for title in ("Liked", "Disliked", "Other"))
    bob = person("bob")
    vote(liked, [bob])
    vote(disliked, [bob], Vote.DOWN)
    html = get_html("/new", reader(bob))
    votes = re.findall(r'id="post-(\d+)"[^>]* data-vote="(\w+)"', html)
    assert {int(pk): word for pk, word in votes} == {
        liked.pk: "up", disliked.pk: "down", other.pk: "none",
    }  # fmt: skip
    assert html.partition("<footer")[0].count('aria-pressed="true"') == 2
    assert 'data-vote="up"' not in get_html("/new")


FORMS = [
    '<form class="site-search" action="/search" role="search">',
    '<form method="post" action="/display" aria-labelledby="foot-you">',
]
"""The forms of the header and the footer, which are the same for everybody."""


def test_guests_get_no_vote_form_and_members_one(ada: User) -> None:
    post(ada, "One")
    post(ada, "Two")
    guest, own = get_html("/"), get_html("/", reader(ada))
    assert re.findall(r"<form[^>]*>", guest) == FORMS
    assert "<script" not in guest
    assert re.findall(r"<form[^>]*>", own) == [FORMS[0], '<form id="vote" method="post">', FORMS[1]]
    assert own.count("csrfmiddlewaretoken") == 1
    assert '<input type="hidden" name="next" value="/">' in own
    assert "style=" not in own


def test_arrows_of_guests_lead_to_log_in_with_the_vote(ada: User) -> None:
    written = post(ada)
    html = get_html("/new?p=1")
    pending = (
        f"/accounts/login/?next=/new%3Fp%3D1%23post-{written.pk}&amp;vote=up&amp;post={written.pk}"
    )
    assert f'href="{pending}"' in html


def test_listing_takes_no_query_and_is_small(
    ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    posts(ada, 25, "A title of some fifty letters, as titles mostly are {}", slugs="books maths")
    window, guest = reader(ada), reader()
    for path in ("/", "/g/books/"):
        get_html(path, window)
    with django_assert_num_queries(0):
        for path in ("/", "/new", "/top", "/g/books/", "/g/books+maths/new"):
            get_html(path, window)
            get_html(path, guest)
    assert len(guest.get("/", headers={"Accept-Encoding": "gzip"}).content) < 5_000


def test_a_renamed_person_is_noticed_at_once(ada: User) -> None:
    window = reader(ada)
    assert ">ada</span>" in get_html("/", window)
    ada.username = "ida"
    ada.save()
    assert ">ida</span>" in get_html("/", window)


def test_a_message_is_shown_once_on_the_next_listing(ada: User) -> None:
    window = reader(ada)
    get_html("/", window)
    window.post("/accounts/logout/")
    assert 'class="notice' in get_html("/", window)
    assert 'class="notice' not in get_html("/", window)


def test_votes_on_old_closed_posts_take_one_query(
    ada: User, redis: Redis, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    written = post(ada)
    bob = person("bob")
    ArchivedVote.objects.create(
        user_id=bob.pk, post_id=written.pk, vote=Vote.DOWN, at=written.created_at
    )
    make_older(redis, written, days=30)
    window = reader(bob)
    get_html("/", window)
    with django_assert_num_queries(1):
        html = get_html("/", window)
    assert 'data-vote="down"' in html
    assert "you voted down" in html
    assert html.count("disabled") == 2


def test_a_closed_post_shows_inactive_arrows_to_guests_too(ada: User, redis: Redis) -> None:
    make_older(redis, post(ada), days=8)
    html = get_html("/")
    assert html.count('disabled aria-pressed="false"') == 2
    assert html.count('title="Voting has closed"') == 2
    assert "vote=up" not in html


def test_listings_come_from_sql_with_a_notice_while_redis_is_down(ada: User, settings: Any) -> None:
    for title in ("First", "Second"):
        post(ada, title)
    Post.objects.create(
        author=ada, kind="text", title="Gone", created_at=timezone.now(), deleted_at=timezone.now()
    )
    window = reader(ada)
    with redis_down(settings):
        for path in ("/", "/new", "/top?t=all", "/g/books/"):
            html = get_html(path, window)
            assert "Voting and rankings are temporarily unavailable" in html
            assert titles(html) == ["Second", "First"]
            assert html.count("disabled") == 4
        assert reader().get("/?p=2").status_code == 404
