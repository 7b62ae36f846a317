"""The submit form helps with links: a preview, a warning about duplicates, and the page's title."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.test import Client

from forum.actions import posts as post_actions
from forum.config import rate_limits
from forum.config.title_rules import TitleRules
from forum.models import Post, User
from tests.forum.factories import groups, post, reader
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)

LINK = {"kind": "link", "title": "A link", "url": "https://www.example.org/a", "groups": ["books"]}
KNOWN = "Someone has already posted this link"


class Page(BaseHTTPRequestHandler):
    """A web server that answers every request with a page that has a title."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write("<title>Knots &amp; 绳结</title>".encode())

    def log_message(self, *_message: object) -> None:
        """Don't log requests."""


@pytest.fixture
def page_elsewhere(settings: Any) -> Iterator[str]:
    """The URL of a web page on this machine, whose title the site may fetch."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        ports = frozenset({server.server_port})
        settings.FETCH_TITLES = True
        settings.TITLE_RULES = TitleRules(is_allowed=lambda _address: True, ports=ports)
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def window(ada: User) -> Client:
    groups("books", "maths")
    return reader(ada)


def test_the_preview_of_a_link_shows_title_domain_and_groups(window: Client) -> None:
    sent = LINK | {"preview": "1", "groups": ["books", "maths, nowhere"]}
    page = window.post("/submit", sent).content.decode()
    shown = page.partition('id="preview"')[2].partition("</section>")[0]
    assert '<bdi>A link</bdi> <span class="domain">(example.org)</span>' in shown
    assert '<a class="chip hue-10" href="/g/books/">Books</a>' in shown
    assert '<a class="chip hue-6" href="/g/maths/">Maths</a>' in shown
    assert "nowhere" not in shown
    assert "No text yet." not in shown, "links need no text"


@pytest.mark.parametrize("kind", ["text", "question"])
def test_the_preview_of_a_text_shows_no_domain_of_an_address_left_behind(
    window: Client, bob: User, kind: str
) -> None:
    post(bob, kind="link", url=LINK["url"], body="")
    page = window.post("/submit", LINK | {"preview": "1", "kind": kind}).content.decode()
    assert "(example.org)" not in page
    assert KNOWN not in page


def test_preview_warns_of_a_duplicate(window: Client, bob: User) -> None:
    sent = LINK | {"preview": "1"}
    assert KNOWN not in window.post("/submit", sent).content.decode()
    known = post(bob, "The <same> page", kind="link", url=LINK["url"], body="")
    page = window.post("/submit", sent).content.decode()
    assert KNOWN in page
    assert f'<a href="{known.get_absolute_url()}" dir="auto">The &lt;same&gt; page</a>' in page
    assert Post.objects.count() == 1


def test_script_gets_the_post_of_a_duplicate(window: Client, bob: User) -> None:
    known = post(bob, kind="link", url=LINK["url"], body="")

    def message_about(url: str) -> str:
        return window.get("/submit/known", {"url": url}).content.decode().strip()

    assert KNOWN in message_about("example.org/a?utm_source=x")
    for url in ("example.org/b", "no address", ""):
        assert message_about(url) == ""
    post_actions.delete(known)
    assert message_about("example.org/a") == ""


def test_guests_get_no_duplicates(bob: User) -> None:
    assert reader().get("/submit/known").status_code == 302


def test_fetched_title_is_filled_in_and_other_fields_are_kept(
    window: Client, page_elsewhere: str
) -> None:
    sent = LINK | {"url": page_elsewhere, "fetch": "1", "body": "My words", "title": ""}
    answer = window.post("/submit", sent)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'value="Knots &amp; 绳结"' in page
    assert f'value="{page_elsewhere}"' in page
    assert "My words</textarea>" in page
    assert 'value="books" checked>' in page
    assert not Post.objects.exists()


def test_script_gets_only_the_title(window: Client, page_elsewhere: str) -> None:
    sent = LINK | {"url": page_elsewhere, "fetch": "1"}
    answer = window.post("/submit", sent, headers={"X-Fragment": "title"})
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert answer.content.decode() == "Knots & 绳结"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "file:///etc/passwd", "http://localhost/", ""]
)
def test_unreadable_title_is_left_to_the_author(window: Client, settings: Any, url: str) -> None:
    settings.FETCH_TITLES = True
    answer = window.post("/submit", LINK | {"url": url, "fetch": "1", "title": "Mine"})
    assert answer.status_code == 422
    assert "Please enter one yourself." in answer.content.decode()
    assert 'value="Mine"' in answer.content.decode()
    answer = window.post(
        "/submit", LINK | {"url": url, "fetch": "1"}, headers={"X-Fragment": "title"}
    )
    assert (answer.status_code, answer.headers["Content-Type"][:10]) == (422, "text/plain")


def test_fetching_titles_is_limited_per_person(
    window: Client, settings: Any, page_elsewhere: str
) -> None:
    settings.LIMITS_NEW = rate_limits.newcomers() | {"title": (Window(1, 600),)}
    sent = LINK | {"url": page_elsewhere, "fetch": "1"}
    assert window.post("/submit", sent).status_code == 200
    refused = window.post("/submit", sent)
    assert refused.status_code == 429
    assert page_elsewhere in refused.content.decode(), "the form keeps its text"


def test_nothing_is_fetched_unless_the_setting_allows_it(window: Client) -> None:
    assert 'name="fetch"' not in window.get("/submit").content.decode()
    answer = window.post("/submit", LINK | {"fetch": "1"})
    assert answer.status_code == 422
    assert not Post.objects.exists(), "an older form publishes nothing either"
