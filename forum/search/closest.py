"""When a search finds nothing: finds the closest search that has results.

It asks for words instead of phrases and signs, and leaves out words that no result has together
with the other words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from forum.errors import SearchTooSlow
from forum.search import queries
from forum.search.conditions import Query, Words
from forum.search.parser import parse, parts
from forum.search.queries import Found, Order
from forum.text import search_text

WORDS = 8
"""How many words are tried: the longest, which are usually the rarest."""
SECONDS = 1.0
"""After how long no further word is tried."""


@dataclass(frozen=True, slots=True)
class Closest:
    """The closest search that has results."""

    text: str
    query: Query
    matches: Found
    literal: tuple[str, ...]
    """The parts of the first search that were taken literally, and that no result has."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that can be left out of a search."""

    part: int
    """Which part of the search has the word."""
    text: str


@dataclass(slots=True)
class _Attempts:
    """Searches with some of the words of a search, and with all of its other conditions."""

    parts: Sequence[str]
    words: Sequence[_Word]
    now: datetime
    viewer_id: int | None
    order: Order

    def text(self, chosen: Sequence[_Word]) -> str:
        """Return the text of a search with the chosen words."""
        loose = {word.part for word in self.words}
        texts = [
            " ".join(word.text for word in self.words if word.part == place and word in chosen)
            if place in loose
            else part
            for place, part in enumerate(self.parts)
        ]
        return " ".join(filter(None, texts))

    def query(self, chosen: Sequence[_Word]) -> Query:
        """Return the search with the chosen words."""
        return parse(self.text(chosen), now=self.now, member=self.viewer_id is not None)

    def find(self, chosen: Sequence[_Word]) -> Found:
        """Return the results of a search with the chosen words. Raises SearchTooSlow."""
        return queries.find(self.query(chosen), viewer_id=self.viewer_id, order=self.order)


def closest(text: str, *, now: datetime, viewer_id: int | None, order: Order) -> Closest | None:
    """Return the closest search that has results; None if there is none or if it takes too long.

    `text` is a search that finds nothing.
    """
    known = [part for part in parts(text) if search_text.fold(part)]
    words = _loose_words(known, now)
    if len(words) < 2 and not _literal(known, words, words):
        return None
    attempts = _Attempts(known, words, now, viewer_id, order)
    try:
        chosen = _chosen(attempts)
        matches = attempts.find(chosen) if chosen else Found()
    except SearchTooSlow:
        return None
    if not matches.hits:
        return None
    literal = _literal(known, words, chosen)
    return Closest(attempts.text(chosen), attempts.query(chosen), matches, literal)


def _loose_words(known: Sequence[str], now: datetime) -> list[_Word]:
    """Return the words that a search asks for, except in conditions with OR or a minus sign."""
    joined = {place + step for place, part in enumerate(known) if part == "OR" for step in (-1, 1)}
    return [
        _Word(place, word)
        for place, part in enumerate(known)
        if part != "OR" and place not in joined and _asks_for_words(part, now)
        for word in search_text.words(part)
    ]


def _asks_for_words(part: str, now: datetime) -> bool:
    conditions = [one for clause in parse(part, now=now, member=False).clauses for one in clause]
    return any(isinstance(one.asked, Words) and not one.negated for one in conditions)


def _chosen(attempts: _Attempts) -> list[_Word]:
    """Return the words of a search that together have results, the rarest first."""
    tried = sorted(attempts.words, key=lambda word: -len(word.text))[:WORDS]
    if attempts.find(tried).hits:
        return tried
    deadline = monotonic() + SECONDS
    numbers: dict[_Word, int] = {}
    for word in tried:
        if monotonic() < deadline:
            numbers[word] = len(attempts.find([word]).hits)
    chosen: list[_Word] = []
    for word in sorted((word for word in numbers if numbers[word]), key=numbers.__getitem__):
        if monotonic() < deadline and attempts.find([*chosen, word]).hits:
            chosen.append(word)
    return chosen


def _literal(
    known: Sequence[str], words: Sequence[_Word], chosen: Sequence[_Word]
) -> tuple[str, ...]:
    """Return the parts of a search that ask for more than the chosen words."""
    places = dict.fromkeys(word.part for word in words)
    kept = {place: " ".join(word.text for word in chosen if word.part == place) for place in places}
    return tuple(
        known[place] for place in places if not _is_same(known[place].strip('"'), kept[place])
    )


def _is_same(part: str, word: str) -> bool:
    return " " not in word and search_text.pattern(part) == search_text.pattern(word)
