"""Compressed pages: a guest gets them where the browser takes them, a member never does."""

import gzip

import pytest

from tests.forum.cast import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
TAKES = {"Accept-Encoding": "gzip, deflate, br"}


def test_a_guest_whose_browser_takes_it_gets_the_same_page_compressed() -> None:
    post(person("ada"), "A title worth packing")
    plain = reader().get("/")
    small = reader(headers=TAKES).get("/")
    assert small["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.content) == plain.content
    assert "Content-Encoding" not in plain
    assert all("Accept-Encoding" in answer["Vary"] for answer in (plain, small))


@pytest.mark.parametrize(
    ("takes", "packed"),
    [("gzip;q=0", False), ("br, gzip; q=0.0, *", False), ("gzip;q=0.5", True), ("br,gzip", True)],
)
def test_a_page_comes_compressed_to_no_browser_that_says_it_does_not_take_that(
    takes: str, packed: bool
) -> None:
    pages = {
        asked: reader(headers={"Accept-Encoding": asked}).get("/") for asked in ("gzip", takes)
    }
    assert "Content-Encoding" in pages["gzip"]
    assert ("Content-Encoding" in pages[takes]) is packed


def test_a_new_post_is_seen_in_the_next_compressed_page() -> None:
    before = reader(headers=TAKES).get("/").content
    post(person("ada"), "Just now")
    after = gzip.decompress(reader(headers=TAKES).get("/").content).decode()
    assert "Just now" in after
    assert "Just now" not in gzip.decompress(before).decode()


def test_a_page_with_a_members_token_is_never_compressed() -> None:
    ada = person("ada")
    post(ada)
    answer = reader(ada, headers=TAKES).get("/")
    assert "Content-Encoding" not in answer
    assert "csrfmiddlewaretoken" in answer.content.decode()
