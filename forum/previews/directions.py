"""Orders the characters of a line that has scripts written from right to left.

This is the Unicode bidirectional algorithm (UAX 9) for one line, without the invisible characters
that change directions, since titles can't contain them. The names of its rules are in brackets.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol, TypeVar
from unicodedata import bidirectional

LEFT, RIGHT, NUMBER, ARABIC_NUMBER, NEUTRAL = "L", "R", "EN", "AN", "ON"
STRONG = {"L": LEFT, "R": RIGHT, "AL": RIGHT}
SIDES = {LEFT: LEFT, RIGHT: RIGHT, NUMBER: RIGHT, ARABIC_NUMBER: RIGHT}
"""The direction that a kind of character gives to the neutral characters beside it."""
PAIRS = {"(": ")", "[": "]", "{": "}"}


class Levelled(Protocol):
    """A part of a line whose characters all have the same direction."""

    @property
    def level(self) -> int:
        """The depth of nested directions: odd if the part is written from right to left."""


Part = TypeVar("Part", bound=Levelled)


def begins_right(text: str) -> bool:
    """Return whether a text's direction is from right to left: that of its first letter."""
    sides = (STRONG.get(bidirectional(character)) for character in text)
    return next(filter(None, sides), LEFT) == RIGHT


def levels(line: str, *, right: bool) -> list[int]:
    """Return the level of each character. `right` is the direction of the whole text."""
    base = RIGHT if right else LEFT
    kinds = _resolve_brackets(line, _resolve_numbers(line, base), base)
    kinds = _resolve_neutrals(kinds, base)
    if right:
        return [1 if kind == RIGHT else 2 for kind in kinds]
    return [{LEFT: 0, RIGHT: 1}.get(kind, 2) for kind in kinds]


def in_visual_order(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a line, from the left end to the right end [L2]."""
    ordered = list(parts)
    for level in range(max((part.level for part in parts), default=0), 0, -1):
        turned: list[Part] = []
        for deep, some in groupby(ordered, key=lambda part: part.level >= level):
            group = list(some)
            turned += reversed(group) if deep else group
        ordered = turned
    return ordered


def _resolve_numbers(line: str, base: str) -> list[str]:
    """Return the kind of each character: a direction, a kind of number, or neutral [W1-W7]."""
    raw: list[str] = []
    for character in line:
        kind = bidirectional(character)
        raw.append((raw[-1] if raw else base) if kind == "NSM" else kind)
    kinds: list[str] = []
    letter = base  # the last letter's kind, which decides the direction of a number
    for place, kind in enumerate(raw):
        letter = kind if kind in STRONG else letter
        before = raw[place - 1] if place else ""
        after = raw[place + 1] if place + 1 < len(raw) else ""
        number = _number(kind, letter, before, after)
        if number == NUMBER and letter != "R":
            number = {"AL": ARABIC_NUMBER, "L": LEFT}[letter]
        kinds.append(number or STRONG.get(kind, NEUTRAL))
    return kinds


def _number(kind: str, letter: str, before: str, after: str) -> str:
    """Return the kind of number that a character belongs to; "" if it belongs to none.

    `letter` is the kind of the last letter. `before` and `after` are those of the neighbours.
    """
    if kind in {NUMBER, ARABIC_NUMBER}:
        return kind
    if kind == "CS" or (kind == "ES" and letter != "AL"):  # a separator such as a comma
        return before if before == after and before in {NUMBER, ARABIC_NUMBER} else ""
    is_sign = kind == "ET" and letter != "AL"  # such as % or $
    return NUMBER if is_sign and NUMBER in {before, after} else ""


def _resolve_brackets(line: str, kinds: list[str], base: str) -> list[str]:
    """Give both brackets of a pair the same direction [N0]."""
    kinds = list(kinds)
    for opening, closing in sorted(_pairs(line)):
        inside = {SIDES.get(kind) for kind in kinds[opening + 1 : closing]} - {None}
        if base in inside:
            kinds[opening] = kinds[closing] = base
        elif inside:
            sides = (SIDES[kind] for kind in reversed(kinds[:opening]) if kind in SIDES)
            kinds[opening] = kinds[closing] = next(sides, base)
    return kinds


def _pairs(line: str) -> Iterator[tuple[int, int]]:
    """Yield the places of brackets that belong together."""
    waiting: list[tuple[int, str]] = []
    for place, character in enumerate(line):
        if character in PAIRS:
            waiting.append((place, PAIRS[character]))
        elif any(character == closing for _, closing in waiting):
            while waiting:
                opening, closing = waiting.pop()
                if closing == character:
                    yield opening, place
                    break


def _resolve_neutrals(kinds: list[str], base: str) -> list[str]:
    """Give neutral characters the direction of both sides, or else that of the text [N1, N2]."""
    resolved: list[str] = []
    for neutral, some in groupby(kinds, key=lambda kind: kind == NEUTRAL):
        run = list(some)
        if neutral:
            end = len(resolved) + len(run)
            before = SIDES[resolved[-1]] if resolved else base
            after = SIDES[kinds[end]] if end < len(kinds) else base
            run = [before if before == after else base] * len(run)
        resolved += run
    return resolved
