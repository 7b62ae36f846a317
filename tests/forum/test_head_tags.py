"""Titles, descriptions and canonical URLs, for search engines and link previews."""

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest

from forum.models import Group, Post, User
from forum.operations.supervision.bootstrap import BASE
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from tests.forum.library import Library, library, short_pages
from tests.forum.page_types import Visitor
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)
SITE = "http://localhost:8000"
DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)">')
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)">')
OPEN_GRAPH = '<meta property="og:title"'
TITLE = re.compile(r"<title>([^<]*)</title>")


def find_in_head(pattern: re.Pattern[str], address: str, user: User | None = None) -> str:
    found = pattern.findall(reader(user).get(address).content.decode())
    assert len(found) == 1, f"{address} has {len(found)}"
    return unescape(found[0])


@pytest.fixture
def written(ada: User) -> Post:
    """Publish a post with a text, in a group that has a description."""
    groups("books")
    Group.objects.update(description="What to read.")
    body = "## Why\n\nBecause *paper* lasts & “quotes” " + "very long " * 500
    return post(ada, "Paper", slugs="books", body=body)


def test_titles_of_lists_name_the_site_or_the_list(ada: User) -> None:
    assert find_in_head(TITLE, "/") == "Rostra"
    assert find_in_head(TITLE, "/new") == "New · Rostra"
    assert find_in_head(TITLE, "/?dir=asc") == "Cold · Rostra"


def test_each_page_has_a_description(ada: User, written: Post) -> None:
    groups("books")
    ada.about = "I bind books."
    ada.save()
    link = post(ada, "Knots", kind="link", url="https://example.org/knots", body="")
    comment = add_comment(ada, written, "So *it* is.")
    assert find_in_head(DESCRIPTION, "/") == (
        "Rostra is a forum where readers' votes rank the posts."
    )
    assert find_in_head(DESCRIPTION, "/new") == "New: posts on Rostra."
    assert find_in_head(DESCRIPTION, "/g/books/") == "What to read."
    assert find_in_head(DESCRIPTION, "/u/ada/") == "I bind books."
    assert "Knots" in find_in_head(DESCRIPTION, link.get_absolute_url())
    assert find_in_head(DESCRIPTION, f"/p/{written.pk}/c/{comment.pk}") == "So it is."
    text = find_in_head(DESCRIPTION, written.get_absolute_url())
    assert text.startswith("Why Because paper lasts & “quotes” very long")
    assert len(text) <= 160


@pytest.mark.parametrize(
    ("address", "canonical"),
    [
        ("/", "/"),
        ("/?utm_source=mail", "/"),
        ("/?dir=asc", "/"),
        ("/?p=1", "/"),
        ("/top?t=week&dir=asc", "/top?t=week"),
        ("/g/books/?after=5_1", "/g/books/"),
        ("/leaders?t=week", "/leaders?t=week"),
        ("/u/ada/?next=/", "/u/ada/"),
        ("/?q=paper", "/"),
        ("/search?q=blue+heron&o=date", "/search?q=blue+heron"),
        ("/search?o=date&q=%E9%B7%BA", "/search?q=%E9%B7%BA"),
        ("/search?q=", "/search"),
        ("/modlog?group=books&kind=&before=7", "/modlog?group=books"),
    ],
)
def test_page_with_several_addresses_has_one_canonical_url(
    ada: User, written: Post, address: str, canonical: str
) -> None:
    assert find_in_head(CANONICAL, address) == SITE + canonical


def test_canonical_url_of_a_sorted_thread_is_that_of_the_thread(written: Post) -> None:
    address = written.get_absolute_url()
    assert find_in_head(CANONICAL, f"{address}?sort=new") == SITE + address


def test_canonical_url_of_a_second_page_is_its_own(ada: User, bob: User, settings: Any) -> None:
    with short_pages(settings):
        library(ada, bob)
        assert find_in_head(CANONICAL, "/?p=2&dir=asc") == f"{SITE}/?p=2"


@pytest.mark.long
def test_each_public_page_has_a_description_of_its_own(ada: User, bob: User, settings: Any) -> None:
    same = {
        "the end of the front",
        "moderation log of a group",
        "post that is closed to votes",
    }
    with short_pages(settings):
        site: Library = library(ada, bob)
        descriptions: dict[str, str] = {}
        for name, address in site.pages(Visitor.GUEST).items():
            html = site.browser(Visitor.GUEST).get(address).content.decode()
            if name not in same and OPEN_GRAPH in html and 'content="noindex"' not in html:
                if "/accounts/" in address and "signup" not in address:
                    continue
                (text,) = DESCRIPTION.findall(html)
                assert text not in descriptions, f"{name} has that of {descriptions[text]}"
                descriptions[text] = name
    assert len(descriptions) > 15


@pytest.mark.long
def test_every_page_has_one_description_and_errors_no_canonical_url(
    ada: User, bob: User, settings: Any
) -> None:
    with short_pages(settings):
        site: Library = library(ada, bob)
        for visitor in Visitor:
            window = site.browser(visitor)
            for name, address in site.pages(visitor).items():
                answer = window.get(address, follow=True)
                html = answer.content.decode()
                assert [text for text in DESCRIPTION.findall(html) if text.strip()], name
                assert len(CANONICAL.findall(html)) == (answer.status_code == 200), name


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/robots.txt", "text/plain"),
        ("/favicon.ico", "image/"),
        ("/apple-touch-icon.png", "image/png"),
    ],
)
def test_icon_and_robots_txt_exist(path: str, kind: str) -> None:
    answer = reader().get(path)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith(kind)
    assert len(b"".join(answer)) < 3_000


def test_phone_can_put_the_site_on_its_home_screen(settings: Any) -> None:
    settings.SITE_NAME = "Knots & more"
    (address,) = re.findall(r'<link rel="manifest" href="([^"]+)">', get_html("/"))
    answer = reader().get(address)
    assert answer["Content-Type"] == "application/manifest+json"
    described = json.loads(answer.content)
    assert described["name"] == described["short_name"] == "Knots & more"
    assert described["start_url"] == "/"
    shared = described["share_target"]
    assert (shared["action"], shared["method"]) == ("/submit", "GET")
    kinds = {icon["src"]: icon["type"] for icon in described["icons"]}
    assert kinds == {"/static/favicon.svg": "image/svg+xml", "/apple-touch-icon.png": "image/png"}
    css = (BASE / "static" / "site.css").read_text()
    assert f"--band: light-dark({described['theme_color']}, " in css
    assert f"--paper: light-dark({described['background_color']}, " in css


def test_password_manager_is_led_to_the_page_for_a_new_password(ada: User) -> None:
    answer = reader(ada).get("/.well-known/change-password", follow=True)
    assert answer.redirect_chain == [("/accounts/password/change/", 302)]
    assert answer.status_code == 200
    guest = reader().get("/.well-known/change-password", follow=True)
    assert guest.redirect_chain[-1][0] == "/accounts/login/?next=/accounts/password/change/"
    unknown = reader().get("/.well-known/resource-that-should-not-exist")
    assert unknown.status_code == 404


def test_security_txt_says_where_to_report_problems(settings: Any) -> None:
    settings.SITE_URL = "https://forum.example.org"
    settings.SECURITY_CONTACTS = ["mailto:security@example.org", "https://example.org/report"]
    answer = reader().get("/.well-known/security.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    *contacts, expires, canonical = answer.content.decode().splitlines()
    assert contacts == [f"Contact: {contact}" for contact in settings.SECURITY_CONTACTS]
    left = datetime.fromisoformat(expires.removeprefix("Expires: ")) - datetime.now(UTC)
    assert timedelta(days=80) < left < timedelta(days=365), "as RFC 9116 asks"
    assert canonical == "Canonical: https://forum.example.org/.well-known/security.txt"


def test_security_txt_without_a_contact_is_not_found() -> None:
    assert reader().get("/.well-known/security.txt").status_code == 404


def test_search_form_of_the_header_has_a_button(ada: User) -> None:
    for visitor in (None, ada):
        html = get_html("/", visitor)
        (form,) = re.findall(r'<form class="site-search".*?</form>', html, re.DOTALL)
        assert form.count('<button aria-label="Search">') == 1


def test_crawlers_may_read_content_but_not_actions(written: Post) -> None:
    answer = reader().get("/robots.txt")
    rules = b"".join(answer).decode()
    patterns = re.findall(r"^Disallow: (\S+)$", rules, re.MULTILINE)
    closed = [
        re.compile(re.escape(one).replace(r"\*", ".*").replace(r"\$", "$")) for one in patterns
    ]

    def is_closed(path: str) -> bool:
        return any(one.match(path) for one in closed)

    short = f"/p/{written.pk}"
    for path in (
        "/accounts/login/?next=/",
        "/accounts/email/",
        "/submit",
        "/inbox",
        f"{short}/vote",
        f"{short}/out",
    ):
        assert is_closed(path), path
    for path in (
        "/",
        "/new",
        "/g/books/",
        "/u/ada/",
        f"{short}/history",
        "/about",
        "/leaders",
        "/accounts/login/",
    ):
        assert not is_closed(path), path
    assert not is_closed(written.get_absolute_url())
    assert not is_closed(person("block").get_absolute_url())
