"""While posts are added and deleted, the next page still starts where the previous page ended."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from forum.actions import posts as post_actions
from forum.models import Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import groups, next_link, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def short_rankings(settings: Any) -> Iterator[None]:
    """Limit rankings to 4 posts, and pages to 2 posts."""
    settings.PAGE_SIZE = 2
    settings.VOTING_RULES = replace(settings.VOTING_RULES, ranking_limit=4, page_size=2)
    get_voting_service.cache_clear()
    yield
    get_voting_service.cache_clear()


@pytest.mark.usefixtures("short_rankings")
@pytest.mark.parametrize("order", ["", "new", "top?t=all"])
def test_pages_beyond_a_full_ranking_come_from_sql(ada: User, order: str) -> None:
    written = [one.pk for one in posts(ada, 7)]
    sign = "&" if "?" in order else "?"
    shown = [post_ids(get_html(f"/{order}{sign}p={number}")) for number in range(1, 5)]
    assert [pk for some in shown for pk in some] == written[::-1]
    assert reader().get(f"/{order}{sign}p=5").status_code == 404
    assert "End of list" in get_html(f"/{order}{sign}p=4")
    assert 'rel="next"' in get_html(f"/{order}{sign}p=2")


@pytest.mark.usefixtures("short_rankings")
def test_page_far_past_the_end_is_not_counted_up_to(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages too far down get 404, because the database would take seconds to count the rows."""
    monkeypatch.setattr("forum.queries.listings.FARTHEST", 6)
    written = [one.pk for one in posts(ada, 9)]
    assert post_ids(get_html("/new?p=3")) == [written[4], written[3]]
    for number in (4, 5, 100_000):
        assert reader().get(f"/new?p={number}").status_code == 404


@pytest.mark.usefixtures("short_rankings")
def test_reversed_full_ranking_comes_from_sql(ada: User) -> None:
    written = [one.pk for one in posts(ada, 7)]
    assert post_ids(get_html("/new?dir=asc")) == written[:2]
    assert post_ids(get_html("/new?dir=asc&p=4")) == written[6:]


@pytest.mark.parametrize("path", ["/new", "/", "/g/books/new", "/g/books+maths/new", "/top?t=all"])
def test_next_shows_the_next_posts_although_others_arrived(ada: User, path: str) -> None:
    groups("maths")
    written = [one.pk for one in posts(ada, 52)]
    first = get_html(path)
    for _ in range(3):
        post(ada)
    second = get_html(next_link(first))
    assert post_ids(second) == written[26:1:-1]
    assert post_ids(get_html(next_link(second))) == written[1::-1]


def test_next_skips_none_after_posts_were_deleted(ada: User) -> None:
    written = posts(ada, 52)
    first = get_html("/new")
    for one in written[20:45]:
        post_actions.delete(one)
    second = get_html(next_link(first))
    assert post_ids(second) == [one.pk for one in reversed(written[:20])]
    assert "End of list" in second
    assert '<a href="/new?p=2" aria-current="page">2</a>' in second


def test_emptied_next_page_redirects_to_the_last(ada: User) -> None:
    written = posts(ada, 26)
    address = next_link(get_html("/new"))
    post_actions.delete(written[0])
    assert reader().get(address).status_code == 404


@pytest.mark.parametrize("after", ["", "x", "1_", "_1", "1e9_1", "nan_1", "1_2_3", "9" * 40 + "_1"])
def test_invalid_place_is_not_found(ada: User, after: str) -> None:
    posts(ada, 26)
    assert reader().get(f"/new?p=2&after={after}").status_code == 404


def test_without_redis_the_next_page_starts_after_the_previous_one(
    ada: User, settings: Any
) -> None:
    written = [one.pk for one in posts(ada, 52)]
    with redis_down(settings):
        first = get_html("/new")
        late = timezone.now().replace(microsecond=0)
        Post.objects.create(author=ada, kind="text", title="Late", created_at=late)
        Post.objects.filter(pk=written[26]).update(deleted_at=timezone.now())
        second = get_html(next_link(first))
        assert post_ids(second) == written[25:0:-1]
        assert post_ids(get_html(next_link(second))) == written[:1]
        assert "after=" not in next_link(get_html("/")), "by time, and `hot` is not"
        assert reader().get("/new?p=2&after=99999999999999999_1").status_code == 200
        assert reader().get("/new?p=2&after=-5_1").status_code == 404


@pytest.mark.usefixtures("short_rankings")
@pytest.mark.parametrize("direction", ["", "?dir=asc"])
def test_next_page_beyond_a_full_ranking_starts_after_the_previous_one(
    ada: User, direction: str
) -> None:
    written = [one.pk for one in posts(ada, 9)]
    if not direction:
        written.reverse()
    shown = get_html(f"/new{direction}")
    seen = post_ids(shown)
    while 'rel="next"' in shown:
        address = next_link(shown)
        if direction:
            post_actions.delete(Post.objects.visible().earliest("pk"))
        else:
            post(ada)
        shown = get_html(address)
        seen += post_ids(shown)
    assert seen == written
