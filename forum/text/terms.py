"""Finds words and domains that moderation rules look for or that people mute.

A term is a word or phrase. It matches whole words, ignoring case; `*` stands for any letters.
Chinese, Japanese, Korean and South-East Asian terms match anywhere in a text, as these scripts have
no spaces between words.

Terms are not regular expressions. They are compiled to patterns that take linear time: atomic
groups prevent backtracking.
"""

import re
import unicodedata
from collections.abc import Container
from functools import lru_cache
from html import unescape
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError

from forum.text import links
from forum.text.scripts import UNSPACED

MOST = 200
"""Maximum number of terms in one pattern. 200 terms take about a second on the longest text."""
FAR = 40
"""Maximum number of characters that `*` matches in scripts without spaces. `MARK`s count too."""
MARK = "\0"
"""Character that stands before and after each character of a script without spaces.

`fold` adds these marks, so that each such character counts as a word.
"""
INVISIBLE = dict.fromkeys(
    code
    for first, last in (
        *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x17B4, 0x17B5)),
        *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)),
        *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    )
    for code in range(first, last + 1)
)
"""Characters that could be put into a word to hide it from rules."""
HREF = re.compile(r'href="(https?://[^"]+)"')

_unspaced = re.compile(f"[{UNSPACED}]+")


def fold(text: str) -> str:
    """Normalise a text, so that the patterns of `compile_terms` find terms in it.

    The result has lower-case letters and no invisible characters. In scripts without spaces, each
    character has a `MARK` before and after it.
    """
    plain = unicodedata.normalize("NFKC", text.translate(INVISIBLE)).casefold()
    return _unspaced.sub(_mark, plain)


def _mark(run: re.Match[str]) -> str:
    return MARK + MARK.join(run[0]) + MARK


def lines(text: str) -> list[str]:
    """Return the non-blank lines of a text, stripped and without repeats."""
    return list(dict.fromkeys(filter(None, (line.strip() for line in text.splitlines()))))


def is_term(term: str) -> bool:
    """Return whether a term has any character other than white space and `*`."""
    return bool(fold(term).replace("*", "").strip(f"{MARK} "))


@lru_cache(maxsize=256)
def compile_terms(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that finds any of the first `MOST` terms in a text. Cached.

    Search only in texts that `fold` has normalised.
    """
    patterns = [_term(fold(term)) for term in terms[:MOST] if is_term(term)]
    return re.compile("|".join(patterns) or r"(?!)")


def compile_domains(written: str) -> frozenset[str]:
    """Return the host names in lines of domains or URLs. Lines without a host name are left out."""
    return frozenset(filter(None, map(host_of, lines(written))))


def host_of(url: str) -> str:
    """Return the host name of a URL or domain in ASCII, without "www."; "" if it has none."""
    try:
        host = urlsplit(links.normalise(url.removeprefix("*."))).hostname or ""
    except ValidationError:
        return ""
    return host.removeprefix("www.")


def hosts_in(html: str) -> frozenset[str]:
    """Return the host names in the links of rendered HTML, without "www."."""
    found = (urlsplit(unescape(url)).hostname for url in dict.fromkeys(HREF.findall(html)))
    return frozenset(host.removeprefix("www.") for host in found if host)


def in_domains(host: str, domains: Container[str]) -> bool:
    """Return whether a host is one of the domains, or a subdomain of one."""
    labels = host.split(".")
    return any(".".join(labels[start:]) in domains for start in range(len(labels)))


def _term(term: str) -> str:
    return rf"{MARK}?\s++{MARK}?".join(map(_word, term.split()))


def _word(word: str) -> str:
    """Return the regular expression for a word, in which each `*` is a wildcard."""
    parts = [part for part in word.split("*") if part]
    if not parts:
        return r"\w++"
    texts = [re.escape(part.strip(MARK)) for part in parts]
    if _is_letter(parts[-1][-1]) and not word.endswith("*"):
        texts[-1] += r"(?!\w)"
    if _is_letter(parts[0][0]):
        anything = r"\w*?" if word.startswith("*") else ""
        texts[0] = rf"(?<!\w)(?>{anything}{texts[0]})"
    gaps = map(_anything, parts, parts[1:])
    rest = (f"(?>{gap}{text})" for gap, text in zip(gaps, texts[1:], strict=True))
    return texts[0] + "".join(rest)


def _is_letter(character: str) -> bool:
    """Return whether a character is a letter, a digit or "_"."""
    return character.isalnum() or character == "_"


def _anything(before: str, after: str) -> str:
    """Return the pattern for a `*` between two parts of a word."""
    if MARK in {before[-1], after[0]}:
        return rf"[\w{MARK}]{{0,{FAR}}}?"
    return r"\w*?"
