"""Browsers that accept compression get compressed pages with the same content as plain pages."""

import gzip
from collections.abc import Iterator

import pytest
from django.conf import settings

from forum.models import Post, User
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader

pytestmark = pytest.mark.django_db(transaction=True)
TAKES = {"Accept-Encoding": "gzip, deflate, br"}
PLAIN_NAME = 10
"""The length in bytes of a gzip header without a file name."""


@pytest.fixture
def thread(ada: User) -> Post:
    written = post(ada, "A title worth packing")
    for number in range(5):
        add_comment(ada, written, f"Comment number {number}")
    return written


@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
def test_each_kind_of_page_is_compressed_for_browsers_that_accept_it(
    ada: User, thread: Post, member: bool
) -> None:
    who = ada if member else None
    own = ("/inbox", "/preferences", "/submit") if member else ("/accounts/login/",)
    for address in ("/", "/g/books/", thread.get_absolute_url(), "/u/ada/", "/about", *own):
        plain = reader(who).get(address)
        small = reader(who, headers=TAKES).get(address)
        assert small["Content-Encoding"] == "gzip", address
        assert int(small["Content-Length"]) == len(small.content), address
        assert "Content-Encoding" not in plain, address
        assert all("Accept-Encoding" in answer["Vary"] for answer in (plain, small)), address
        assert gzip.decompress(small.content).endswith(b"</html>\n"), address
        # The empty inbox has 2.9 kB, and up to 100 random bytes of each page hide its length.
        assert len(small.content) < len(plain.content) * 0.6, address


@pytest.mark.usefixtures("thread")
def test_compressed_listing_equals_the_plain_one() -> None:
    for address in ("/", "/g/books/", "/about"):
        small, plain = (reader(headers=more).get(address) for more in (TAKES, {}))
        assert gzip.decompress(small.content) == plain.content, address


@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
def test_not_found_page_is_compressed_too(ada: User, member: bool) -> None:
    answer = reader(ada if member else None, headers=TAKES).get("/nowhere")
    assert answer.status_code == 404
    assert b"/nowhere" in gzip.decompress(answer.content)


@pytest.mark.parametrize(
    ("takes", "packed"),
    [("gzip;q=0", False), ("br, gzip; q=0.0, *", False), ("gzip;q=0.5", True), ("br,gzip", True)],
)
def test_page_is_not_compressed_for_browsers_that_refuse_it(takes: str, packed: bool) -> None:
    pages = {each: reader(headers={"Accept-Encoding": each}).get("/") for each in ("gzip", takes)}
    assert "Content-Encoding" in pages["gzip"]
    assert ("Content-Encoding" in pages[takes]) is packed


def test_new_post_is_in_the_next_compressed_page(ada: User) -> None:
    before = reader(headers=TAKES).get("/").content
    post(ada, "Just now")
    after = gzip.decompress(reader(headers=TAKES).get("/").content).decode()
    assert "Just now" in after
    assert "Just now" not in gzip.decompress(before).decode()


def test_response_that_fits_in_one_packet_is_not_compressed() -> None:
    assert "Content-Encoding" not in reader(headers=TAKES).get("/healthz")


def test_metrics_are_compressed_for_prometheus() -> None:
    answer = reader(headers=TAKES).get("/metrics")
    assert gzip.decompress(answer.content) != answer.content
    assert reader().get("/metrics").content.startswith(b"#")


def test_head_request_gets_the_compressed_length_without_the_page() -> None:
    answer = reader(headers=TAKES).head("/about")
    assert answer["Content-Encoding"] == "gzip"
    assert int(answer["Content-Length"]) > 0
    assert answer.content == b""


def _answers(who: User, address: str) -> Iterator[tuple[bytes, str]]:
    """Request a page 30 times. Yield each response's compressed body, and the decompressed body."""
    client = reader(who, headers=TAKES)
    for _time in range(30):
        content = client.get(address).content
        yield content, gzip.decompress(content).decode()


def _name_ends(packed: bytes) -> int:
    """Return the position at which the file name in a gzip header ends (RFC 1952)."""
    has_name = packed[3] & 8
    return packed.index(b"\0", PLAIN_NAME) if has_name else PLAIN_NAME


def test_length_of_a_members_page_reveals_no_secret(ada: User) -> None:
    """Each response has a different CSRF token, and random padding, so the lengths differ."""
    sent, pages = zip(*_answers(ada, "/submit"), strict=True)
    tokens = {html.split('csrfmiddlewaretoken" value="')[1].split('"')[0] for html in pages}
    names = {_name_ends(one) for one in sent}
    assert len(tokens) == len(pages), "a token was sent twice"
    assert len(names) > 5, "the length of the file name hardly varies"
    assert max(names) <= PLAIN_NAME + 100
    assert settings.SESSION_COOKIE_SAMESITE == "Lax"
