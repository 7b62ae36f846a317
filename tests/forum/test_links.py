"""Links of posts: the site refuses unsafe URLs, and recognises different URLs of the same page."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from forum.text import links
from tests.forum.strategies import LETTERS

ADDRESSES = st.one_of(
    st.text(LETTERS, max_size=60),
    st.builds(
        "{}://{}{}/{}?{}#{}".format,
        st.sampled_from(["http", "https", "HTTPS", "ftp", "javascript", ""]),
        st.sampled_from(["example.org", "www.Example.org", "例え.jp", "u:p@x.org", "[::1]", "["]),
        st.sampled_from(["", ":80", ":443", ":8080", ":99999", ":", ":x"]),
        st.text(LETTERS, max_size=30),
        st.text(LETTERS, max_size=30),
        st.text(LETTERS, max_size=10),
    ),
)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("example.org/x", "https://example.org/x"),
        ("//example.org", "https://example.org/"),
        ("  https://example.org/  ", "https://example.org/"),
        ("HTTP://WWW.Example.ORG:80/A", "http://www.example.org/A"),
        ("https://example.org./", "https://example.org/"),
        ("example.org:8080", "https://example.org:8080/"),
        ("http://例え.jp/ä ö", "http://xn--r8jz45g.jp/%C3%A4%20%C3%B6"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
        (
            "https://web.archive.org/web/1/http://a.org/",
            "https://web.archive.org/web/1/http://a.org/",
        ),
        ("https://example.org/a\u200b", "https://example.org/a"),
        ("https://exam\u200dple.org/", "https://example.org/"),
        ("\ufeff\u2068https://example.org/a\u2069 \u200b\n", "https://example.org/a"),
        (
            "https://fa.example.org/می\u200cروم",
            "https://fa.example.org/%D9%85%DB%8C%E2%80%8C%D8%B1%D9%88%D9%85",
        ),
        ("https://example.org/#!/story/1", "https://example.org/#!/story/1"),
        ("https://example.org/a%2Fb?q=a+b", "https://example.org/a%2Fb?q=a+b"),
    ],
)
def test_address_is_normalised(typed: str, kept: str) -> None:
    assert links.normalise(typed) == kept


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("", "required"),
        ("javascript:alert(1)", "scheme"),
        ("mailto:ada@example.org", "scheme"),
        ("ftp://example.org/", "scheme"),
        ("https://ada:secret@example.org/", "userinfo"),
        ("https://good.example\\@evil.example/", "userinfo"),
        ("localhost:8000/x", "host"),
        ("http://", "host"),
        ("https://-a.org/", "host"),
        ("http://a b.org/", "host"),
        ("https://a..b/", "host"),
        ("https://.a.b/", "host"),
        ("https://a.b../", "host"),
        ("https://a\u3002.b/", "host"),
        ("http://999.1.2.3/", "invalid"),
        ("http://[::g]/", "invalid"),
        ("https://example.org:99999/", "invalid"),
        ("https://example.org/\n/x", "invalid"),
        ("https://example.org/\u202efdp.exe", "invalid"),
        ("https://example.org/a\u200bb", "invalid"),
        ("\u200b", "required"),
        ("https://example.org/" + "a" * 2_000, "long"),
        ("https://example.org/" + "ä" * 1_000, "long"),
    ],
)
def test_unsafe_address_is_refused_with_the_reason(typed: str, code: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        links.normalise(typed)
    assert refusal.value.code == code
    assert refusal.value.messages[0].endswith(".")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "https://www.example.org/a/"),
        ("https://example.org/?b=1&a=2", "https://example.org/?a=2&b=1&utm_source=x&fbclid=y"),
        ("https://example.org/a#part", "https://example.org/a"),
        ("https://example.org:443/a/./b/../c", "https://example.org/a/c"),
        ("https://example.org/%7Eada", "https://example.org/~ada"),
        ("https://example.org/?q=two+words", "https://example.org/?q=two%20words"),
    ],
)
def test_two_spellings_of_one_page_have_one_key(one: str, other: str) -> None:
    assert links.key(one) == links.key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/?id=1", "https://example.org/?id=2"),
        ("https://example.org/#!/story/1", "https://example.org/#!/story/2"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
        ("https://blog.example.org/", "https://example.org/"),
        ("https://example.org:8080/", "https://example.org/"),
        ("https://example.org/?q=c%2B", "https://example.org/?q=c%20"),
        ("https://example.org/a+b", "https://example.org/a%20b"),
    ],
)
def test_two_pages_have_two_keys(one: str, other: str) -> None:
    assert links.key(one) != links.key(other)


@given(ADDRESSES)
def test_normalising_an_address_twice_changes_nothing(typed: str) -> None:
    try:
        address = links.normalise(typed)
    except ValidationError:
        return
    assert links.normalise(address) == address
    assert address.isascii()
    assert address.startswith(("http://", "https://"))
    assert len(address) <= links.LONGEST


@given(ADDRESSES)
def test_key_of_a_key_is_the_same_key(typed: str) -> None:
    try:
        key = links.key(typed)
    except ValidationError:
        return
    assert links.key(links.normalise(typed)) == key
    assert links.key(f"https://{key}") == key
    assert len(key) <= links.LONGEST
