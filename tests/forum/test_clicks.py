"""Seed 004-9: ranking by clicks. The way out counts them, and leads nowhere but out."""

from typing import Any

import pytest

from forum.content import publishing
from forum.models import Post, User
from forum.store import voting
from tests.forum.absent import redis_away
from tests.forum.cast import post, reader
from voting.types import Order

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "https://example.org/a?b=c&d=%C3%A9"


@pytest.fixture
def link(ada: User) -> Post:
    return post(ada, kind="link", url=ADDRESS)


def views(written: Post) -> int:
    return voting().rows([written.pk])[0].views


def test_a_click_is_counted_and_leads_to_the_posts_own_address(ada: User, link: Post) -> None:
    for _ in range(2):
        response = reader(ada).get(f"/p/{link.pk}/out")
        assert response.status_code == 302
        assert response["Location"] == ADDRESS
        assert "nofollow" in response["X-Robots-Tag"]
    assert views(link) == 1


def test_who_clicks_and_opens_the_thread_counts_once(ada: User, link: Post) -> None:
    reader(ada).get(f"/p/{link.pk}/out")
    reader(ada).get(link.get_absolute_url())
    assert views(link) == 1


def test_clicks_rank_posts(ada: User, link: Post) -> None:
    newer = post(ada)
    reader().get(f"/p/{link.pk}/out")
    ids = [row.id for row in voting().listing(Order.VIEWS, 1).rows]
    assert ids == [link.pk, newer.pk]


@pytest.mark.parametrize("asked", ["?next=https://evil.example", "?url=//evil.example"])
def test_nobody_can_choose_where_it_leads(link: Post, asked: str) -> None:
    assert reader().get(f"/p/{link.pk}/out{asked}")["Location"] == ADDRESS


def test_a_text_has_no_way_out(ada: User) -> None:
    assert reader().get(f"/p/{post(ada).pk}/out").status_code == 404
    assert reader().get("/p/99999/out").status_code == 404


def test_a_deleted_post_leads_nowhere(link: Post) -> None:
    publishing.delete(link)
    assert reader().get(f"/p/{link.pk}/out").status_code == 410


def test_a_look_ahead_leads_there_and_is_not_counted(link: Post) -> None:
    assert reader().head(f"/p/{link.pk}/out").status_code == 302
    ahead = reader().get(f"/p/{link.pk}/out", headers={"Sec-Purpose": "prefetch"})
    assert ahead.status_code == 302
    assert views(link) == 0


def test_the_way_out_is_open_while_redis_is_away(link: Post, settings: Any) -> None:
    with redis_away(settings):
        assert reader().get(f"/p/{link.pk}/out")["Location"] == ADDRESS


def test_it_is_only_followed(link: Post) -> None:
    assert reader().post(f"/p/{link.pk}/out").status_code == 405


def test_a_click_takes_one_query(link: Post, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        reader().get(f"/p/{link.pk}/out")
