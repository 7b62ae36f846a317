"""The page of a post, with the explanation of its rank."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, resolve
from pytest_django import DjangoAssertNumQueries
from redis import Redis

from forum.actions import posts as post_actions
from forum.models import Post, User
from forum.models.post import ACTIONS
from forum.store.service import get_voting_service
from forum.urls import urlpatterns
from tests.forum.comments import page
from tests.forum.factories import make_older, person, post, reader
from tests.forum.outages import redis_down
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_page_shows_title_text_and_groups(ada: User) -> None:
    written = post(ada, "Knots", body="The *bowline*.", slugs="crafts")
    html = page(written)
    assert f'<h1 class="title"><a href="{written.get_absolute_url()}" dir="auto">Knots</a>' in html
    assert "<em>bowline</em>" in html
    assert 'href="/g/crafts/"' in html
    assert html.count("<h1") == 1


@pytest.mark.parametrize("ending", ["", "/old-title", "/-"])
def test_other_addresses_of_a_post_redirect_to_the_right_one(knots: Post, ending: str) -> None:
    for query in ("", "?sort=new&after=1"):
        response = reader().get(f"/p/{knots.pk}{ending}{query}")
        assert response.status_code == 302
        assert response["Location"] == f"/p/{knots.pk}/knots{query}"


def routes(patterns: Sequence[URLPattern | URLResolver]) -> Iterator[str]:
    """Yield the pattern of each URL, except URLs below a prefix such as `admin/`."""
    for one in patterns:
        if isinstance(one, URLPattern):
            yield str(one.pattern)
        elif not str(one.pattern):
            yield from routes(one.url_patterns)


def test_no_title_collides_with_an_action_on_a_post(ada: User) -> None:
    words = [re.fullmatch(r"p/<id:post_id>/(\w+).*", pattern) for pattern in routes(urlpatterns)]
    assert {word[1] for word in words if word} == ACTIONS, (
        "ACTIONS has exactly the actions of posts"
    )
    for title in ACTIONS:
        found = resolve(Post(pk=1, title=title).get_absolute_url())
        assert found.url_name == "post"


@pytest.mark.parametrize(
    "title", ["Über Bäume", "中文标题", "!?", "Vote", "Edit", "delete", "Groups"]
)
def test_every_title_has_an_address_that_works(ada: User, title: str) -> None:
    assert title in page(post(ada, title))


def test_unknown_post_is_not_found() -> None:
    assert reader().get("/p/999").status_code == 404
    assert reader().get(f"/p/{10**20}/x").status_code == 404


def test_a_deleted_post_is_gone_and_says_so(ada: User) -> None:
    written = post(ada, "Secret title")
    post_actions.delete(written)
    response = reader(ada).get(written.get_absolute_url())
    assert response.status_code == 410
    assert "This post was deleted." in response.content.decode()
    assert "Secret title" not in response.content.decode()


def test_page_shows_rank_and_points_missing_to_the_next(ada: User) -> None:
    above, below = post(ada, "Above"), post(ada, "Below")
    for name in ("bob", "cleo", "dora"):
        get_voting_service().votes.cast(person(name).pk, Target(above.pk), Vote.UP)
    get_voting_service().votes.cast(User.objects.get(username="bob").pk, Target(below.pk), Vote.UP)
    html = page(below)
    assert "Why is this here?" in html
    assert "rank 2 of 2" in html
    assert "2 up, 0 down" in html
    assert "2.4 hours" in html, "two votes of 72 minutes"
    assert "<dt>Effect of one vote</dt><dd>1.2 hours</dd>" in html
    assert (
        f'would move this post above <a href="{above.get_absolute_url()}" dir="auto">Above</a>'
        in html
    )
    votes = get_voting_service().posts.standing(below.pk).votes_to_next
    assert f"{votes} more up votes would move this" in html
    assert "No post is above this one." in page(above)


def test_vote_value_of_an_hour_or_more_is_shown_in_hours(ada: User) -> None:
    written = post(ada)
    for number in range(9):
        get_voting_service().votes.cast(person(f"voter{number}").pk, Target(written.pk), Vote.UP)
    assert "12.0 hours" in page(written)


def test_vote_value_below_an_hour_is_shown_in_minutes(ada: User, new_rules: Any) -> None:
    new_rules(weight=432.0)
    get_voting_service().maintenance.generations.set_vote_seconds()
    html = page(post(ada))
    assert "7 minutes" in html
    assert "<dt>Effect of one vote</dt><dd>7.2 minutes</dd>" in html


def test_vote_value_below_zero_is_shown_as_a_third_of_a_day(ada: User) -> None:
    written = post(ada)
    for name in ("bob", "cleo"):
        get_voting_service().votes.cast(person(name).pk, Target(written.pk), Vote.DOWN)
    html = page(written)
    assert "-8.0 hours" in html
    assert (
        "<dt>Effect of one vote</dt><dd>8 hours, because the post's score is below zero</dd>"
        in html
    )


def test_page_shows_when_voting_closes(ada: User, redis: Redis) -> None:
    written = post(ada)
    assert "open until" in page(written)
    make_older(redis, written, days=8)
    html = page(written)
    assert "closed on" in html
    assert "disabled" in html


def test_only_the_author_sees_edit_and_delete(ada: User) -> None:
    written = post(ada)
    links = (f'href="/p/{written.pk}/edit"', f'href="/p/{written.pk}/delete"')
    own = page(written, window=reader(ada))
    others = page(written) + page(written, window=reader(person("bob")))
    for link in links:
        assert link in own
        assert link not in others


def test_a_page_takes_one_query_for_the_post_and_none_for_the_reader(
    ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    written = post(ada, slugs="books maths web")
    window = reader(ada)
    page(written, window=window)
    with django_assert_num_queries(1):
        page(written, window=window)
    with django_assert_num_queries(1):
        page(written)


def test_page_comes_from_sql_while_redis_is_down(ada: User, settings: Any) -> None:
    written = post(ada, "Knots", slugs="crafts")
    with redis_down(settings):
        html = page(written)
    assert "You can still read, but you can't vote or write." in html
    assert "these are the newest posts" not in html
    assert "Knots" in html
    assert 'href="/g/crafts/"' in html
    assert html.count("disabled") == 2
    assert "Why is this here?" not in html


def test_post_missing_from_redis_says_that_voting_opens_soon(ada: User, redis: Redis) -> None:
    written = post(ada)
    redis.flushall()
    get_voting_service().maintenance.generations.open()
    html = page(written)
    assert "this post will appear in the lists" in html
    assert html.count("disabled") == 2
