"""Guests may get a cached page that is at most a second old; members never get a cached page."""

import re
from collections.abc import Iterator
from time import sleep
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from pytest_django import Settings
from structlog.testing import capture_logs

from forum.identity.viewers import Viewer
from forum.models import User
from forum.store.service import get_voting_service
from forum.web import guest_pages
from tests.forum import comments
from tests.forum.factories import person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def an_hour(settings: Settings) -> Iterator[None]:
    """Empty the cache, and cache guests' pages for an hour: no page expires during a test."""
    settings.GUEST_PAGE_SECONDS = 3_600
    reader().post("/p/1/vote")
    yield
    reader().post("/p/1/vote")


def titles(path: str, someone: User | None = None) -> list[str]:
    return re.findall(r'dir="auto">([^<]+)</a>', get_html(path, someone))


def test_guests_may_see_a_cached_page_and_members_never(ada: User) -> None:
    post(ada, "First")
    assert titles("/new") == ["First"]
    post(ada, "Second")
    assert titles("/new") == ["First"], "posts of other processes show after a second"
    assert titles("/new", ada) == ["Second", "First"]


def test_post_written_in_this_process_shows_at_once(ada: User, bob: User) -> None:
    first = post(ada, "First")
    post(ada, "Second")
    assert titles("/") == ["Second", "First"]
    assert reader(bob).post(f"/p/{first.pk}/vote", {"vote": "up"}).status_code == 303
    assert titles("/") == ["First", "Second"]


def test_counted_click_keeps_cached_pages(ada: User) -> None:
    link = post(ada, "First", kind="link", url="https://example.org/")
    assert titles("/new") == ["First"]
    post(ada, "Second")
    click = {"Sec-Fetch-Site": "same-origin"}
    assert reader().post(f"/p/{link.pk}/out", headers=click).status_code == 204
    assert titles("/new") == ["First"]


def test_a_deleted_post_is_gone_from_guests_lists_at_once(ada: User) -> None:
    written = post(ada, "Post")
    assert titles("/new") == ["Post"]
    reader(ada).post(f"/p/{written.pk}/delete")
    assert titles("/new") == []


def test_cached_thread_still_counts_views(ada: User) -> None:
    written = post(ada, "Post")
    path = written.get_absolute_url()
    first = reader().get(path, headers={"User-Agent": "Moth"})
    comments.add_comment(ada, written, "Said by another process.")
    again = [reader().get(path, headers={"User-Agent": who}) for who in ("Moth", "Bee", "Bee")]
    assert {page.content for page in again} == {first.content}
    assert get_voting_service().posts.rows([written.pk])[0].views == 2, "two guests"
    ahead = {"Sec-Purpose": "prefetch", "User-Agent": "Wasp"}
    assert reader().get(path, headers=ahead).content == first.content
    assert get_voting_service().posts.rows([written.pk])[0].views == 2, "not viewed again"


def test_a_deleted_thread_is_gone_at_once(ada: User) -> None:
    written = post(ada, "Post")
    path = written.get_absolute_url()
    assert reader().get(path).status_code == 200
    reader(ada).post(f"/p/{written.pk}/delete")
    assert [reader().get(path).status_code for _ in range(2)] == [410, 410]


def test_old_address_redirects_to_the_current_one(ada: User) -> None:
    written = post(ada, "Post")
    for _ in range(2):
        led = reader().get(f"/p/{written.pk}/an-old-title")
        assert (led.status_code, led["Location"]) == (302, written.get_absolute_url())


def test_cached_thread_is_shown_while_redis_is_down(ada: User, settings: Settings) -> None:
    path = post(ada, "Post").get_absolute_url()
    before = reader().get(path)
    with redis_down(settings):
        assert reader().get(path).content == before.content


def test_age_of_a_slow_page_counts_from_its_start(ada: User, settings: Settings) -> None:
    settings.GUEST_PAGE_SECONDS = 0.3
    written = post(ada, "Post")
    slowly = iter([0.4])

    def read(execute: Any, sql: str, *rest: Any) -> Any:
        sleep(next(slowly, 0))
        return execute(sql, *rest)

    with connection.execute_wrapper(read):
        reader().get(written.get_absolute_url())
    comments.add_comment(ada, written, "Said by another process.")
    assert "Said by" in reader().get(written.get_absolute_url()).content.decode()


def test_comment_of_a_member_shows_at_once(ada: User) -> None:
    written = post(ada, "Post")
    path = written.get_absolute_url()
    assert "So it is." not in reader().get(path).content.decode()
    reader(ada).post(f"/p/{written.pk}/comment", {"body": "So it is."})
    assert "So it is." in reader().get(path).content.decode()
    assert 'data-vote="up"' in reader(ada).get(path).content.decode(), "only Ada sees her vote"
    assert 'data-vote="up"' not in reader().get(path).content.decode()


def test_pages_languages_and_groups_are_not_mixed_up(ada: User) -> None:
    post(ada, "Books", slugs="books")
    post(ada, "Maths", slugs="maths")
    assert titles("/new") == ["Maths", "Books"]
    assert titles("/new?dir=asc") == ["Books", "Maths"]
    assert titles("/g/books/") == ["Books"]
    assert titles("/g/maths/") == ["Maths"]
    chinese = reader().get("/new", headers={"Accept-Language": "zh-hans"}).content.decode()
    assert '<html lang="zh-hans">' in chinese
    assert '<html lang="en">' in reader().get("/new").content.decode()


def test_compressed_and_plain_pages_are_kept_apart(ada: User) -> None:
    post(ada, "Post")
    for _ in range(2):
        packed = reader().get("/", headers={"Accept-Encoding": "gzip"})
        assert packed["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in packed["Vary"]
        assert "Content-Encoding" not in reader().get("/")
    for name in ("Content-Security-Policy", "Permissions-Policy", "X-Frame-Options"):
        assert name in reader().get("/"), "a cached page has the security headers, too"


@pytest.mark.parametrize("kept", [True, False])
def test_page_rendered_during_a_write_is_not_cached(kept: bool) -> None:
    cache = guest_pages._PageCache()

    def made(request: HttpRequest) -> HttpResponse:
        if not kept:
            cache.clear()
        return guest_pages.cached_for_guests(lambda request: HttpResponse("Post"))(request)

    request = HttpRequest()
    request.session = {}  # type: ignore[assignment]
    cache.make("/", request, made)
    assert bool(cache.find("/")) is kept


def test_invented_addresses_do_not_exceed_the_cache_size(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest_pages, "MOST_BYTES", 30_000)
    thread = post(ada, "Post", body="Long. " * 1_000).get_absolute_url()
    for number in range(9):
        assert reader().get(f"{thread}?made={number}").status_code == 200
    kept = [len(page.content) for page in guest_pages._cache._pages.values()]
    assert 0 < sum(kept) <= 30_000


@pytest.mark.parametrize("of", ["a guest", "a member", "who is given a cookie"])
def test_personal_page_is_never_cached(of: str) -> None:
    cache = guest_pages._PageCache()
    request = HttpRequest()
    member = Viewer(1, "ada", False, 0, False, False, frozenset(), False, 0, False)
    request.viewer = member if of == "a member" else None  # type: ignore[attr-defined]

    def made(request: HttpRequest) -> HttpResponse:
        page = guest_pages.cached_for_guests(lambda request: HttpResponse("Post"))(request)
        if of == "who is given a cookie":
            page.set_cookie("theirs", "own")
        return page

    cache.make("/", request, made)
    assert bool(cache.find("/")) is (of == "a guest")


def test_cached_response_has_its_own_id_and_is_counted_by_view(settings: Settings) -> None:
    settings.LOG_REQUESTS = True
    with capture_logs() as lines:
        ids = {reader().get("/new")["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3
    assert [line["view"] for line in lines] == ["listing"] * 3


def test_only_plain_requests_of_guests_get_cached_pages(ada: User) -> None:
    post(ada, "First")
    assert titles("/new") == ["First"]
    assert reader().options("/new").status_code == 405
    assert reader().get("/new", headers={"Host": "elsewhere.example"}).status_code == 400
    post(ada, "Second")
    logged_out = reader()
    logged_out.cookies["sessionid"] = f"{ada.pk}-0123456789abcdefghij"
    answer = logged_out.get("/new")
    assert "Second" in answer.content.decode(), (
        "a request with a session cookie is not served from the cache"
    )
    assert answer.cookies["sessionid"].value == ""
    assert titles("/new") == ["First"], "a response that deletes a cookie is not cached"


def test_guest_with_a_pending_message_gets_an_uncached_page(ada: User) -> None:
    post(ada, "First")
    assert titles("/new") == ["First"]
    post(ada, "Second")
    guest = reader()
    guest.cookies["messages"] = "what it says"
    assert "Second" in guest.get("/new").content.decode()
    assert titles("/new") == ["First"]


def test_http_is_redirected_to_https_even_if_the_page_is_cached(settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert reader().get("/new", secure=True).status_code == 200
    assert reader().get("/new").status_code == 301


def test_guest_gets_pages_in_the_chosen_language(ada: User) -> None:
    post(ada, "Post")
    chosen = reader()
    chosen.cookies["django_language"] = "zh-hans"
    for _ in range(2):
        assert '<html lang="zh-hans">' in chosen.get("/new").content.decode()
        assert '<html lang="en">' in reader().get("/new").content.decode()


def test_cached_page_has_the_same_headers(ada: User) -> None:
    post(ada, "Post")
    made, given = (reader().get("/new") for _ in range(2))
    own = {"X-Request-ID"}
    assert {k: v for k, v in made.items() if k not in own} == {
        k: v for k, v in given.items() if k not in own
    }
    assert made.content == given.content


def test_errors_are_not_cached(ada: User) -> None:
    assert reader().get("/new?p=2").status_code == 404
    posts(ada, 26)
    assert reader().get("/new?p=2").status_code == 200


def test_page_of_a_guest_marks_no_votes(ada: User) -> None:
    written = post(ada, "Post")
    get_voting_service().votes.cast(person("bob").pk, Target(written.pk), Vote.UP)
    assert 'data-vote="none"' in reader().get("/new").content.decode()
    assert 'data-vote="up"' in reader(ada).get("/new").content.decode()
    assert 'data-vote="none"' in reader().get("/new").content.decode()
