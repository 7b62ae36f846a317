"""Error pages have the right status, a message, and a link to continue."""

import re
from html import unescape
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
from django.test.client import FakePayload, RequestFactory
from pytest_django import DjangoAssertNumQueries
from redis import Redis
from structlog.testing import capture_logs

from forum.actions import posts as post_actions
from forum.errors import DomainError, EditConflict, Forbidden, Gone, Invalid
from forum.models import Post, User
from forum.queries.groups import directory
from forum.web.error_responses import respond
from forum.web.handler import Handler
from forum.web.problems import TRANSLATIONS
from tests.forum.factories import groups, post, reader
from tests.forum.outages import failing_sql, redis_down
from tests.forum.pages import get_html
from voting import keys
from voting.errors import Throttled
from voting.types import Order

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (Forbidden(), 403, "You don't have permission to do that."),
        (Invalid("Use 1 or 0."), 400, "Use 1 or 0."),
        (Gone(Post()), 410, "This post was deleted."),
        (
            EditConflict(),
            409,
            "The text was changed while you were editing it, so your changes were not saved.",
        ),
        (Throttled(5), 429, "You're doing that too fast. Try again in 5 seconds."),
    ],
)
def test_an_error_has_one_status_and_sentence_on_a_page_and_for_the_script(
    error: Exception, status: int, sentence: str
) -> None:
    for headers in ({}, {"X-Fragment": "list"}):
        request = RequestFactory().post("/", headers=headers)
        vars(request)["viewer"] = None
        response = respond(request, error)
        assert response is not None
        assert response.status_code == status
        text = response.content.decode()
        assert sentence == text if headers else sentence in unescape(text)


def test_every_domain_error_has_a_translation() -> None:
    assert set(DomainError.__subclasses__()) <= set(TRANSLATIONS)


def test_unknown_address_offers_the_front_page() -> None:
    response = reader().get("/nowhere")
    html = response.content.decode()
    assert response.status_code == 404
    assert "There is no page at this address." in html
    assert 'href="/"' in html
    assert "Rostra" in html


@pytest.mark.parametrize("number", ["9" * 19, "9" * 24, "9" * 5_000])
@pytest.mark.parametrize(
    "path",
    ["p/{}", "p/{}/a-title", "p/{}/c/1", "p/1/c/{}", "p/{}/comments", "p/{}/history", "p/{}/edit"],
)
def test_number_beyond_all_ids_is_not_found(ada: User, path: str, number: str) -> None:
    post(ada)
    for someone in (reader(), reader(ada)):
        assert someone.get(f"/{path.format(number)}").status_code == 404


def test_extra_slash_redirects_to_the_page(written: Post) -> None:
    for meant in ("/about", "/new?p=1", "/g/python/top?t=all", written.get_absolute_url()):
        path, sign, query = meant.partition("?")
        response = reader().get(f"{path}/{sign}{query}")
        assert (response.status_code, response["Location"]) == (301, meant)


@pytest.mark.parametrize("path", ["/nowhere/", "/about/me/"])
def test_extra_slash_after_an_unknown_address_is_not_found(path: str) -> None:
    assert reader().get(path).status_code == 404


def test_unknown_address_in_the_admin_is_not_found() -> None:
    chief = User.objects.create_superuser("chief")
    assert reader(chief).get("/admin/nowhere/").status_code == 404


def test_post_to_an_extra_slash_is_not_redirected() -> None:
    assert reader().post("/about/").status_code == 404


def test_opening_the_vote_address_links_to_the_post() -> None:
    page = reader().get("/p/1/vote").content.decode()
    assert 'href="/p/1">Go to the post' in page
    assert "Go to the post" not in reader().get("/inbox/read").content.decode()


def test_huge_text_is_refused_with_a_message_and_no_logged_error(
    ada: User, written: Post, caplog: pytest.LogCaptureFixture
) -> None:
    window = reader(ada, enforce_csrf_checks=True)
    response = window.post(f"/p/{written.pk}/comment", {"body": "a" * 3_000_000})
    assert response.status_code == 413
    assert "What you sent is too long" in response.content.decode()
    assert not [record for record in caplog.records if record.exc_info]


class Broken(FakePayload):
    """The body of a request. Reading it fails, because the browser has lost the connection."""

    def read(self, *args: Any) -> bytes:
        raise ConnectionResetError


@pytest.mark.parametrize("length", ["500", "9000000"])
def test_incomplete_form_is_refused_without_a_logged_error(
    ada: User, written: Post, length: str, caplog: pytest.LogCaptureFixture
) -> None:
    window = reader(ada, enforce_csrf_checks=True)
    sent: dict[str, Any] = {"wsgi.input": Broken(), "CONTENT_LENGTH": length}
    response = window.post(f"/p/{written.pk}/comment", **sent)
    assert response.status_code == 408
    assert "What you sent arrived incomplete" in response.content.decode()
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("encoding", ["rot13", "hex", "idna", "utf-7", "unicode_escape", "latin-1"])
def test_form_in_another_encoding_is_a_bad_request(ada: User, encoding: str) -> None:
    window = reader(ada)
    sent = f"multipart/form-data; charset={encoding}; boundary=-"
    body = b'---\r\nContent-Disposition: form-data; name="about"\r\n\r\n+2AA-\\ud800\r\n-----\r\n'
    answer = window.generic("POST", "/u/ada/about", body, content_type=sent)
    assert answer.status_code == 400
    assert "The request could not be understood." in answer.content.decode()
    in_ours = sent.replace(encoding, '"UTF-8"')
    assert window.generic("POST", "/u/ada/about", body, content_type=in_ours).status_code == 303


@pytest.mark.parametrize(("encoding", "status"), [("rot13", "400 "), ("utf-8", "200 ")])
def test_address_in_another_encoding_is_a_bad_request(encoding: str, status: str) -> None:
    """Call the WSGI handler directly: the test client doesn't use the site's request class."""
    statuses: list[str] = []

    def begin(line: str, _headers: list[tuple[str, str]], _error: Any = None, /) -> Any:
        statuses.append(line)

    environ = RequestFactory().get("/?p=%31").environ
    environ["CONTENT_TYPE"] = f"text/plain; charset={encoding}"
    list(Handler()(environ, begin))
    assert statuses[0].startswith(status)


def test_health_check_uses_neither_sql_nor_redis(
    settings: Any, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with redis_down(settings), django_assert_num_queries(0):
        response = reader().get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")


def test_about_page_shows_the_numbers_that_the_site_uses(new_rules: Any) -> None:
    html = reader().get("/about").content.decode()
    assert "20 votes change this time by one day" in html
    assert "1.2 hours newer" in html
    assert "The site measures this number of votes once a day" in html
    new_rules(weight=432.0)
    html = reader().get("/about").content.decode()
    assert "200 votes change this time by one day" in html
    assert "7.2 minutes newer" in html
    assert "The site measures this number of votes once a day" not in html
    assert "open for 7 days" in html
    assert "60 seconds out of date" in html
    assert "Answers are ranked by score: +2 for each up vote" in html


def test_listings_work_while_sql_is_down(ada: User) -> None:
    post(ada, "Knots", slugs="crafts")
    window = reader(ada)
    window.get("/g/crafts/")
    with failing_sql(""):
        for path in ("/", "/new", "/g/crafts/", "/g/"):
            for someone in (window, reader()):
                response = someone.get(path)
                assert response.status_code == 200, path
        html = get_html("/", window)
    assert "Knots" in html
    assert ">ada</a>" in html


def test_post_page_explains_that_sql_is_down(written: Post) -> None:
    with failing_sql(""):
        response = reader().get(written.get_absolute_url())
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert "The database isn&#x27;t responding" in response.content.decode()


def test_vote_is_counted_while_sql_is_down(bob: User, written: Post) -> None:
    window = reader(bob)
    window.get("/")
    with failing_sql(""):
        response = window.post(f"/p/{written.pk}/vote", {"vote": "up", "next": "/"})
    assert response.status_code == 303


def test_unexpected_error_shows_an_error_page() -> None:
    window = reader(raise_request_exception=False)
    with patch("django.template.loader.get_template", side_effect=ZeroDivisionError):
        response = window.get("/about")
    assert response.status_code == 500
    assert "The error has been logged." in response.content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans", "xx", "*", "de;q=x"])
def test_any_language_a_browser_asks_for_gets_a_page(language: str) -> None:
    assert reader(headers={"Accept-Language": language}).get("/").status_code == 200


@pytest.mark.parametrize("path", ["/", "/nowhere", "/accounts/login/", "/admin/login/", "/vote"])
def test_every_response_has_security_headers_and_language(path: str) -> None:
    answer = reader().get(path, headers={"Accept-Language": "zh-hans"})
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Content-Language"] == "zh-hans"
    assert "Accept-Language" in answer["Vary"]


def test_pages_come_from_sql_if_another_application_uses_our_keys(
    bob: User, knots: Post, redis: Redis
) -> None:
    for key in (keys.post(knots.pk), keys.ranking(Order.HOT)):
        redis.delete(key)
        redis.set(key, "not ours")
    window = reader(bob)
    for path in ("/", knots.get_absolute_url()):
        html = get_html(path, window)
        assert "Knots" in html
        assert "temporarily unavailable" in html, path
    with capture_logs() as lines:
        answer = window.post(f"/p/{knots.pk}/vote", {"vote": "up"})
    assert answer.status_code == 503
    assert "Your vote was not counted" in answer.content.decode()
    assert any("WRONGTYPE" in line.get("reason", "") for line in lines), "the cause is logged"


@pytest.mark.parametrize("path", ["/?a=/accounts/", "/g/accounts/", "/g/accounts/new?p=1"])
def test_path_that_starts_like_an_account_page_is_public(ada: User, path: str) -> None:
    post(ada, slugs="accounts")
    assert f'href="/accounts/login/?next={quote(path)}"' in get_html(path)


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/groups", "/g/"),
        ("/groups/", "/g/"),
        ("/login", "/accounts/login/"),
        ("/Login/", "/accounts/login/"),
        ("/signup", "/accounts/signup/"),
        ("/feed", "/feed.atom"),
        ("/feed/", "/feed.atom"),
        ("/rss", "/feed.atom"),
        ("/rss.xml", "/feed.atom"),
    ],
)
def test_addresses_that_other_sites_have_lead_to_our_pages(path: str, leads_to: str) -> None:
    response = reader().get(path)
    assert (response.status_code, response["Location"]) == (302, leads_to)
    assert reader().get(leads_to).status_code == 200
    assert reader().post(path).status_code in {403, 404}, "nothing is sent on"


@pytest.mark.parametrize(
    ("path", "word", "meant"),
    [
        ("/book", "book", ["/g/books/"]),
        ("/blog/sourdough-bread", "sourdough bread", []),
        ("/u/nobody/", "nobody", []),
        ("/logn", "logn", ["/login"]),
        ("/%E6%B1%89%E5%AD%97", "汉字", []),
        ("/p/99999", "", []),
        ("/" + "x" * 200, "", []),
        ('/"><script>', "script", []),
    ],
)
def test_unknown_address_offers_a_search_for_its_word_and_names_near_it(
    path: str, word: str, meant: list[str]
) -> None:
    groups("books")
    response = reader().get(path)
    html = response.content.decode()
    assert response.status_code == 404
    assert f'name="q" value="{word}"' in html
    suggestion = re.search(r"Did you mean (.*?)</p>", html)
    assert re.findall(r'href="([^"]+)"', suggestion[1] if suggestion else "") == meant


def test_unknown_address_is_not_found_while_sql_is_down() -> None:
    directory.forget()
    with failing_sql("SELECT"):
        assert reader().get("/book").status_code == 404


def test_deleted_post_offers_a_search(ada: User) -> None:
    written = post(ada)
    post_actions.delete(written, by=ada)
    response = reader().get(written.get_absolute_url())
    assert response.status_code == 410
    assert 'role="search" aria-label="Search this site"' in response.content.decode()
