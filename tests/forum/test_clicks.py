"""Clicks on links are counted, and listings can be ranked by clicks."""

from typing import Any

import pytest
from django.test import Client

from forum.actions import posts as post_actions
from forum.models import Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import post, reader
from tests.forum.outages import redis_down
from tests.forum.round_trips import counted_round_trips
from voting.types import Order

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "https://example.org/a?b=c&d=%C3%A9"


@pytest.fixture
def link(ada: User) -> Post:
    return post(ada, kind="link", url=ADDRESS)


def views(written: Post) -> int:
    return get_voting_service().posts.rows([written.pk])[0].views


def test_click_is_counted_and_redirects_to_the_link(ada: User, link: Post) -> None:
    for _ in range(2):
        response = reader(ada).get(f"/p/{link.pk}/out")
        assert response.status_code == 302
        assert response["Location"] == ADDRESS
        assert "nofollow" in response["X-Robots-Tag"]
    assert views(link) == 1


def test_clicking_a_link_and_opening_its_thread_counts_once(ada: User, link: Post) -> None:
    reader(ada).get(f"/p/{link.pk}/out")
    reader(ada).get(link.get_absolute_url())
    assert views(link) == 1


def test_clicks_rank_posts(ada: User, link: Post) -> None:
    newer = post(ada)
    reader().get(f"/p/{link.pk}/out")
    ids = [row.id for row in get_voting_service().listings.page(Order.VIEWS, 1).rows]
    assert ids == [link.pk, newer.pk]


@pytest.mark.parametrize("query", ["?next=https://evil.example", "?url=//evil.example"])
def test_click_address_redirects_only_to_the_posts_own_address(link: Post, query: str) -> None:
    assert reader().get(f"/p/{link.pk}/out{query}")["Location"] == ADDRESS


def test_text_has_no_click_address(ada: User) -> None:
    assert reader().get(f"/p/{post(ada).pk}/out").status_code == 404
    assert reader().get("/p/99999/out").status_code == 404


def test_click_on_a_deleted_post_does_not_redirect(link: Post) -> None:
    post_actions.delete(link)
    assert reader().get(f"/p/{link.pk}/out").status_code == 410


def test_prefetched_click_redirects_and_is_not_counted(link: Post) -> None:
    assert reader().head(f"/p/{link.pk}/out").status_code == 302
    ahead = reader().get(f"/p/{link.pk}/out", headers={"Sec-Purpose": "prefetch"})
    assert ahead.status_code == 302
    assert views(link) == 0


def test_click_redirects_while_redis_is_down(link: Post, settings: Any) -> None:
    with redis_down(settings):
        assert reader().get(f"/p/{link.pk}/out")["Location"] == ADDRESS


def ping(window: Client, link: Post, **headers: str) -> int:
    """Report a click as browsers do for links with a `ping` attribute. Return the status code."""
    sent = window.post(f"/p/{link.pk}/out", "PING", content_type="text/ping", headers=headers)
    return sent.status_code


def test_a_row_links_to_the_address_itself_and_reports_the_click(link: Post) -> None:
    html = reader().get("/").content.decode()
    href = ADDRESS.replace("&", "&amp;")
    assert (
        f'<a href="{href}" ping="http://testserver/p/{link.pk}/out" rel="ugc nofollow noopener"'
        in html
    )


def test_the_full_address_can_be_read_on_the_posts_own_page(link: Post) -> None:
    html = reader().get(link.get_absolute_url()).content.decode()
    assert f">{ADDRESS.replace('&', '&amp;')}</a>" in html


def test_a_reported_click_counts_once_a_day_without_a_token(ada: User, link: Post) -> None:
    window = reader(ada, enforce_csrf_checks=True)
    for _ in range(2):
        assert ping(window, link, sec_fetch_site="same-origin") == 204
    window.get(link.get_absolute_url())
    assert views(link) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site", "origin": "http://testserver"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://[testserver"},
        {},
    ],
)
def test_another_site_cannot_report_a_click(link: Post, headers: dict[str, str]) -> None:
    assert ping(reader(), link, **headers) == 403
    assert views(link) == 0


@pytest.mark.parametrize("name", ["origin", "ping_from"])
def test_older_browser_reports_where_the_click_was_made(link: Post, name: str) -> None:
    origin = {"origin": "null"} if name == "ping_from" else {}
    assert ping(reader(), link, **origin | {name: "http://testserver/"}) == 204
    assert views(link) == 1


def test_a_prefetched_report_is_not_counted(link: Post) -> None:
    headers = {"sec_fetch_site": "same-origin", "sec_purpose": "prefetch"}
    assert ping(reader(), link, **headers) == 204
    assert views(link) == 0


def test_reports_of_unknown_and_deleted_posts_count_nothing(link: Post) -> None:
    post_actions.delete(link)
    for post_id in (link.pk, 99_999):
        link.pk = post_id
        assert ping(reader(), link, sec_fetch_site="same-origin") == 204


def test_a_reported_click_takes_no_query_and_one_round_trip(
    link: Post, settings: Any, django_assert_num_queries: Any
) -> None:
    window = reader()
    with counted_round_trips(settings) as (to_voting, _to_cache), django_assert_num_queries(0):
        ping(window, link, sec_fetch_site="same-origin")  # opens the connection
        with to_voting.counting():
            ping(window, link, sec_fetch_site="same-origin")
        assert to_voting.round_trips == 1


def test_reported_click_is_dropped_while_redis_is_down(link: Post, settings: Any) -> None:
    with redis_down(settings):
        assert ping(reader(), link, sec_fetch_site="same-origin") == 204


def test_a_click_takes_one_query(link: Post, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        reader().get(f"/p/{link.pk}/out")
