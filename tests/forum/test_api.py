"""Programs read the site as JSON, without cookies and from any other site."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings as site
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.api import tokens
from forum.models import Post, User
from forum.moderation.actions import removals
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.round_trips import counted_round_trips
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
COSTS = {
    "lists/hot": (2, 0),
    "groups/books/lists/new": (2, 0),
    "sites/www.example.org/lists/new": (2, 1),
    "posts/{post}": (2, 1),
    "posts/{post}/standing": (2, 1),
    "posts/{post}/comments": (3, 2),
    "comments": (2, 2),
    "comments/{comment}": (2, 1),
    "groups": (1, 0),
    "groups/books": (1, 0),
    "people/ada": (2, 2),
    "people/ada/posts": (2, 3),
    "people/ada/comments": (1, 2),
    "leaders": (2, 0),
    "search?q=bread": (2, 8 + 3 * (connection.vendor == "postgresql")),
    "modlog": (1, 1),
}
"""For each operation: the number of round trips, one of which counts the request, and queries."""
Get = Callable[..., Any]


@pytest.fixture
def get(client: Client) -> Get:
    """Return a function that sends a GET request to the API and returns the response's JSON."""

    def ask(path: str, status: int = 200) -> Any:
        path = path.removeprefix(f"{site.SITE_URL}/api/v1/")
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == status, answer.content
        kind = "application/json" if status == 200 else "application/problem+json"
        assert answer["Content-Type"].startswith(kind)
        return answer.json()

    return ask


@pytest.fixture
def ids(ada: User) -> dict[str, int]:
    """Create a link post, a text post with a comment, and a moderation action."""
    link = post(ada, "On bread", kind="link", url="https://example.org/bread", body="")
    written = post(ada, "Bread at home", body="Knead *well*.")
    comment = add_comment(person("bob"), written, "Which bread?")
    removals.remove(
        add_comment(person("eve"), written, "Pills"),
        by=person("stella", is_staff=True, is_superuser=True),
        reason="spam",
    )
    return {"link": link.pk, "post": written.pk, "comment": comment.pk}


def test_each_operation_costs_what_the_table_says(
    ids: dict[str, int], client: Client, settings: Any
) -> None:
    found = {}
    with counted_round_trips(settings) as (to_voting, _to_cache):
        for name in COSTS:
            path = f"/api/v1/{name.format(**ids)}"
            client.get(path)
            with to_voting.counting(), CaptureQueriesContext(connection) as queries:
                assert client.get(path).status_code == 200, path
            found[name] = (to_voting.round_trips, len(queries))
    assert found == COSTS


def test_posts_have_what_their_rows_show(ids: dict[str, int], get: Get) -> None:
    text, link = get("lists/new")["items"]
    assert link == {
        "id": ids["link"],
        "url": f"{site.SITE_URL}/p/{ids['link']}/on-bread",
        "title": "On bread",
        "kind": "link",
        "link": "https://example.org/bread",
        "domain": "example.org",
        "author": "ada",
        "groups": ["books"],
        "created_at": link["created_at"],
        "points": 1,
        "up": 1,
        "down": 0,
        "starting_points": 0,
        "comments": 0,
        "views": 0,
        "answered": False,
        "vote": None,
        "saved": False,
        "merged_into": None,
    }
    full = get(f"posts/{ids['post']}")
    assert full["text"] == "Knead *well*."
    assert full["html"] == "<p>Knead <em>well</em>.</p>\n"
    assert full["comments"] == text["comments"] == 1
    assert get(f"posts/{ids['post']}/standing")["rank"] == 1


def test_comments_name_their_posts_and_parents(ids: dict[str, int], get: Get, ada: User) -> None:
    written = Post.objects.get(pk=ids["post"])
    add_comment(ada, written, "Rye.", written.comments.get(pk=ids["comment"]))
    reply, first = get(f"posts/{ids['post']}/comments")["items"]
    assert (reply["author"], reply["parent"], reply["html"]) == (
        *("ada", ids["comment"], "<p>Rye.</p>\n"),
    )
    assert first == get(f"comments/{ids['comment']}")
    assert (first["text"], first["answer"], first["accepted"]) == ("Which bread?", False, False)
    assert (first["post_title"], first["points"], first["parent"]) == ("Bread at home", 1, None)
    assert [one["id"] for one in get("people/bob/comments")["items"]] == [ids["comment"]]


def test_pages_neither_repeat_nor_skip_posts_while_others_are_written(
    ada: User, get: Get, settings: Any
) -> None:
    written = posts(ada, 60)
    seen, path = [], "lists/new"
    while path:
        page = get(path)
        seen += [one["id"] for one in page["items"]]
        post(ada, "Newer")
        path = page["next"]
    assert seen == [one.pk for one in reversed(written)]


def test_pages_of_a_persons_posts_neither_repeat_nor_skip(ada: User, get: Get) -> None:
    written = posts(ada, 60)
    first = get("people/ada/posts")
    post(ada, "Newer")
    for gone in (written[59], written[58], written[60 - len(first["items"])]):
        post_actions.delete(gone)
    seen, path = [one["id"] for one in first["items"]], first["next"]
    while path:
        page = get(path)
        seen += [one["id"] for one in page["items"]]
        path = page["next"]
    assert seen == [one.pk for one in reversed(written)]
    get("people/ada/posts?before=999999", 404)


def link(author: User, title: str) -> Post:
    return post(author, title, kind="link", url=f"https://example.org/{title}")


@pytest.mark.parametrize(
    "path",
    [
        *(f"sites/www.example.org/lists/{order}" for order in ("hot", "new", "active", "views")),
        *("sites/www.example.org/lists/top?t=all", f"days/{timezone.now().date()}"),
        *(f"search?q=post&order={order}" for order in ("relevance", "date", "points")),
    ],
)
def test_pages_neither_repeat_nor_skip_while_people_write(
    ada: User, get: Get, settings: Any, path: str
) -> None:
    settings.PAGE_SIZE = 4
    written = [link(ada, f"Post {number}") for number in range(12)]
    first = get(path)
    before = [one["id"] for one in first["items"]]
    for number in range(12, 15):
        link(ada, f"Post {number}")
    for pk in before[1:]:
        post_actions.delete(Post.objects.get(pk=pk))
    seen, page = before, first
    while page["next"]:
        page = get(page["next"])
        seen += [one["id"] for one in page["items"]]
    assert seen == [one.pk for one in reversed(written)]


def test_pages_of_a_search_go_on_after_the_last_comment(
    ada: User, client: Client, get: Get
) -> None:
    written = post(ada)
    made = [add_comment(ada, written, f"Bread {number}").pk for number in range(30)]
    first = get("search?q=bread")
    assert client.get("/api/v1/search?q=bread")["Link"] == f'<{first["next"]}>; rel="next"'
    comment_actions.delete(written.comments.get(pk=made[29]), ada)
    second = get(first["next"])
    assert [one["id"] for one in first["items"] + second["items"]] == made[::-1]
    assert second["next"] is None
    assert "after" in get("search?q=bread&after=x", 422)["detail"]
    assert get("search?q=bread&p=2")["items"][0]["id"] == made[3], "page numbers work, too"


def test_header_link_leads_to_the_next_page(ada: User, client: Client) -> None:
    posts(ada, 60)
    Post.objects.update(host="example.org")
    for path in ("lists/new", "people/ada/posts", "sites/example.org/lists/hot"):
        answer = client.get(f"/api/v1/{path}")
        assert answer["Link"] == f'<{answer.json()["next"]}>; rel="next"'
    assert "Link" not in client.get("/api/v1/comments")


@pytest.mark.parametrize("host", ["zzz", "x y", "%C2%86x%1D", "%0Ax", "..", "%3E"])
def test_what_is_no_host_links_nowhere(host: str, ada: User, get: Get) -> None:
    posts(ada, 30)
    assert get(f"sites/{host}/lists/new", 404)["status"] == 404


def test_next_page_of_any_address_is_a_valid_address(ada: User, client: Client) -> None:
    posts(ada, 30)
    Post.objects.update(
        kind=Post.Kind.LINK, url="https://xn--bcher-kva.example/", host="xn--bcher-kva.example"
    )
    answer = client.get("/api/v1/sites/b%C3%BCcher.example/lists/new")
    assert "/api/v1/sites/b%C3%BCcher.example/lists/new?" in answer["Link"]
    assert len(client.get(answer.json()["next"]).json()["items"]) == 5


def test_comments_have_pages(ada: User, get: Get) -> None:
    written = post(ada)
    made = [add_comment(ada, written, f"No. {number}").pk for number in range(30)]
    first = get("comments")
    second = get(first["next"])
    assert [one["id"] for one in first["items"] + second["items"]] == made[::-1]
    assert second["next"] is None


def test_search_days_leaders_and_log(ids: dict[str, int], get: Get) -> None:
    found = get("search?q=bread+colour:red&order=date")
    assert [one["kind"] for one in found["items"]] == ["comment", "post", "post"]
    assert found["items"][0]["excerpt"] == "Which <mark>bread</mark>?"
    assert found["not_understood"] == ["colour:red"]
    day = Post.objects.get(pk=ids["post"]).created_at.date()
    assert len(get(f"days/{day}")["items"]) == 2
    assert get(f"leaders?day={day}")["day"] == str(day)
    (action,) = get("modlog")["items"]
    assert (action["kind"], action["reason"], action["undone"]) == ("remove", "spam", False)


def test_people_and_groups(ids: dict[str, int], get: Get) -> None:
    assert get("people/ADA")["name"] == "ada"
    assert get("groups/books")["title"] == "Books"
    assert [one["name"] for one in get("groups")] == ["books"]
    assert get("groups/books+maths/lists/hot", 404)["status"] == 404
    groups("maths")
    assert len(get("groups/books+maths/lists/hot")["items"]) == 2


def test_deleted_things_are_gone_and_unknown_ones_not_found(
    ids: dict[str, int], get: Get, ada: User
) -> None:
    comment_actions.delete(
        Post.objects.get(pk=ids["post"]).comments.get(pk=ids["comment"]),
        User.objects.get(username="bob"),
    )
    assert get(f"comments/{ids['comment']}", 410)["detail"] == "This comment was deleted."
    post_actions.delete(Post.objects.get(pk=ids["post"]))
    assert get(f"posts/{ids['post']}", 410)["detail"] == "This post was deleted."
    for path in ("posts/999999", "people/nobody", "groups/none", "nowhere", "days/2999-01-01"):
        answer = reader().get(f"/api/v1/{path}")
        assert answer.status_code == 404, path


def test_wrong_parameters_are_named(get: Get) -> None:
    assert "before" in get("comments?before=x", 422)["detail"]
    assert get("search", 422)["status"] == 422
    assert get("lists/best", 422)["title"]


def test_cookies_are_ignored(ids: dict[str, int], ada: User) -> None:
    browser = reader(ada)
    own = browser.get("/api/v1/lists/new")
    assert own.json() == reader().get("/api/v1/lists/new").json()
    assert not own.cookies


def test_other_sites_may_read_and_unchanged_responses_are_not_sent_again(
    ids: dict[str, int], client: Client, ada: User
) -> None:
    answer = client.get("/api/v1/lists/new")
    assert answer["Access-Control-Allow-Origin"] == "*"
    again = client.get("/api/v1/lists/new", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    post(ada, "Newer")
    changed = client.get("/api/v1/lists/new", headers={"If-None-Match": answer["ETag"]})
    assert changed.status_code == 200


def test_guests_get_cached_lists_and_owners_of_tokens_their_own(
    ids: dict[str, int], get: Get, ada: User, settings: Any
) -> None:
    settings.GUEST_PAGE_SECONDS = 3_600
    token = tokens.create(user=ada, name="Script", scopes=["read"])
    assert get("lists/new")["items"][0]["vote"] is None
    own = Client(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/lists/new").json()
    assert own["items"][0]["vote"] == 1
    with counted_round_trips(settings) as (to_voting, _to_cache), to_voting.counting():
        assert get("lists/new")["items"][0]["vote"] is None
    assert to_voting.round_trips == 0


def test_too_many_requests_are_refused_with_a_time_to_wait(client: Client, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"api": (Window(1, 60),)}
    client.get("/api/v1/groups")
    answer = client.get("/api/v1/groups")
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 60
    assert answer.json()["status"] == 429


def test_each_token_has_its_own_limit(ada: User, client: Client, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"api": (Window(1, 60),)}
    first, second = (
        Client(headers={"Authorization": f"Bearer {tokens.create(user=ada, name=name, scopes=[])}"})
        for name in ("Script", "Reader")
    )
    asked = [window.get("/api/v1/groups").status_code for window in (first, second, client, first)]
    assert asked == [200, 200, 200, 429]


def test_lists_are_read_from_sql_while_redis_is_down(
    ids: dict[str, int], get: Get, settings: Any
) -> None:
    with redis_down(settings):
        assert len(get("lists/hot")["items"]) == 2
        assert get(f"posts/{ids['post']}/standing")["rank"] is None


def test_sentences_are_in_the_readers_language(client: Client) -> None:
    answer = client.get("/api/v1/posts/999999", headers={"Accept-Language": "zh-hans"})
    assert not answer.json()["detail"].isascii()


def test_examples_of_the_documentation_work(ids: dict[str, int], get: Get) -> None:
    text = (site.BASE_DIR / "docs" / "api.md").read_text()
    paths = re.findall(r"curl http://localhost:8000/api/v1/(\S+)", text)
    groups("maths")
    assert len(paths) == 10
    for path in paths:
        get(path.replace("posts/1", f"posts/{ids['post']}"))
