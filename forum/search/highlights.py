"""Marks the words of a search in the texts of its results, and cuts out the text around them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString

from forum.search.conditions import Words
from forum.text.search_text import SHORTEST, fold, plain

LENGTH = 240
"""The most characters of an excerpt."""
BEFORE = 60
"""How many characters of an excerpt stand before the first match."""
CHANGING = re.compile(r"[^\x00-@\[-\x7f]")
"""Upper case letters, and characters outside ASCII."""

Span = tuple[int, int]
"""Where a match begins and ends in a text."""


def marked(text: str, words: Sequence[Words]) -> SafeString:
    """Return a text as HTML, with the searched words in `<mark>`."""
    return SafeString("".join(_pieces(text, _matches(text, words))))


def excerpt(text: str, words: Sequence[Words]) -> SafeString:
    """Return the part of a text around its first match as HTML, with its matches in `<mark>`."""
    found = _matches(text, words)
    start = max(0, found[0][0] - BEFORE) if found else 0
    if start:
        start = max(start, text.find(" ", start, found[0][0]) + 1)
    end = start + LENGTH
    inside = [(first - start, last - start) for first, last in found if last <= end]
    html = "".join(_pieces(text[start:end], inside))
    before, after = "… " if start else "", " …" if end < len(text) else ""
    return SafeString(f"{before}{html}{after}")


def _pieces(text: str, found: Sequence[Span]) -> Iterator[str]:
    end = 0
    for start, stop in found:
        yield f"{escape(text[end:start])}<mark>{escape(text[start:stop])}</mark>"
        end = stop
    yield escape(text[end:])


def _matches(text: str, words: Sequence[Words]) -> list[Span]:
    """Return where searched words begin and end in a text, in order and without overlaps."""
    if not words:
        return []
    folded, origins = _folded(text)
    matches = (match for one in words for match in _pattern(one).finditer(folded))
    spans = sorted((origins[match.start()], origins[match.end() - 1] + 1) for match in matches)
    found: list[Span] = []
    for start, end in spans:
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


@lru_cache(maxsize=256)
def _pattern(words: Words) -> re.Pattern[str]:
    """Return a pattern that finds words in a text that `_folded` returned."""
    folded = fold(words.text)
    pattern = r"[\W_]*".join(map(re.escape, folded.split()))
    if len(folded) < SHORTEST and folded.isalnum() and folded.isascii():
        pattern = rf"(?<!\w){pattern}(?!\w)"
    return re.compile(pattern)


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in lower case without accents, and each character's place in the original."""
    if text.isascii():
        return text.lower(), range(len(text))
    letters = {character: _plain(character) for character in CHANGING.findall(text)}
    if all(len(one) == 1 and letters.get(one, one) == one for one in letters.values()):
        folded = text
        for character, letter in letters.items():
            folded = folded.replace(character, letter)
        return folded, range(len(text))
    each = [*map(_plain, text)]
    origins = [place for place, letters in enumerate(each) for _letter in letters]
    return "".join(each), origins


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    return plain(character)
