"""Readers see all posts that link to one site on the web."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from forum.actions import marks
from forum.actions import posts as post_actions
from forum.models import Post, User
from tests.forum.factories import next_link, person, post
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, titles

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def link(author: User, title: str, host: str) -> Post:
    """Submit a link."""
    return post(author, title, kind="link", url=f"https://{host}/{title}")


@pytest.fixture
def three(ada: User) -> list[Post]:
    """Three posts that link to example.org, and one post that doesn't."""
    link(ada, "Elsewhere", "example.com")
    return [link(ada, title, "www.example.org") for title in ("One", "Two", "Three")]


def test_posts_of_a_site_come_in_every_order(three: list[Post]) -> None:
    Post.objects.filter(pk=three[1].pk).update(score=1e12, up=9, views=9)
    assert titles(get_html("/site/example.org/"))[0] == "Two"
    assert set(titles(get_html("/site/example.org/"))) == {"One", "Two", "Three"}
    assert titles(get_html("/site/example.org/new")) == ["Three", "Two", "One"]
    assert titles(get_html("/site/example.org/new?dir=asc")) == ["One", "Two", "Three"]
    assert titles(get_html("/site/example.org/top?t=all"))[0] == "Two"
    assert titles(get_html("/site/example.org/views"))[0] == "Two"
    assert len(titles(get_html("/site/example.org/active"))) == 3


def test_other_spellings_redirect_and_unknown_sites_are_not_found(
    client: Client, three: list[Post]
) -> None:
    for address in ("/site/www.example.org/", "/site/EXAMPLE.org/"):
        assert client.get(address)["Location"] == "/site/example.org/"
    assert client.get("/site/example.org").status_code in {301, 302}
    assert client.get("/site/example.net/").status_code == 404
    assert client.get("/site/not a host/").status_code == 404


def test_row_links_to_the_site(client: Client, three: list[Post]) -> None:
    assert '<a href="/site/example.org/">example.org</a>' in client.get("/").content.decode()


def test_deleted_and_hidden_posts_are_left_out(three: list[Post]) -> None:
    bob = person("bob")
    post_actions.delete(three[0])
    marks.hide(bob, three[1], on=True)
    assert titles(get_html("/site/example.org/new")) == ["Three", "Two"]
    assert titles(get_html("/site/example.org/new", bob)) == ["Three"]


def test_site_without_posts_today_says_so(client: Client, three: list[Post]) -> None:
    Post.objects.update(created_at="2020-01-01T00:00Z")
    assert client.get("/site/example.org/top").status_code == 200


def test_site_is_shown_while_redis_is_down(three: list[Post], settings: Any) -> None:
    with redis_down(settings):
        assert titles(get_html("/site/example.org/new")) == ["Three", "Two", "One"]


def test_query_uses_the_index_of_hosts(three: list[Post], client: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get("/site/example.org/new?dir=asc")
    (ids, *_rest) = [one["sql"] for one in queries if '"host" =' in one["sql"]]
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {ids}")
            assert "post_by_host" in str(cursor.fetchall())


def test_next_page_continues_although_posts_came_and_went(ada: User, settings: Any) -> None:
    settings.PAGE_SIZE = 2
    made = [link(ada, f"Post{number}", "example.org") for number in range(5)]
    page = get_html("/site/example.org/new")
    link(ada, "Newer", "example.org")
    post_actions.delete(made[4])
    page = get_html(next_link(page))
    assert titles(page) == ["Post2", "Post1"]
    assert titles(get_html(next_link(page))) == ["Post0"]
