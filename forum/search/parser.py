"""Parses what a person types into the search box. This is the only parser of searches."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType

from forum.search.conditions import (
    OWN,
    Asked,
    Author,
    Comparison,
    Condition,
    Count,
    Counted,
    InGroup,
    Is,
    OnSite,
    Place,
    Posted,
    Query,
    Trait,
    Words,
)
from forum.text import search_text, terms

LONGEST = 500
"""The most characters of a search. The form refuses longer ones."""
MOST = 20
"""The most conditions of a search. Further ones are not understood."""
PART = re.compile(
    r'-?(?:\w+:)?"[^"]*"?|(?:[^\s",;|、。،؛।—–]|(?<=\d),(?=\d)|(?<=\w)"(?=\w))+'  # noqa: RUF001
)
"""A word, an operator with its value, or a phrase in quotes. Commas separate words."""
OPERATOR = re.compile(r"([A-Za-z]+):(?!:|//)(.+)")
"""An operator and its value. `std::vector`, `10:30` and `https://...` are words."""
MARKS_AFTER = re.compile(r"(?<=\w)(?:[?!.]+:?|:)$")
PLAIN_MARKS = search_text.UNUSUAL | dict.fromkeys(map(ord, "“”„‟«»「」『』｢｣〝〞〟❝❞"), '"')
"""Plain quotes for typographic ones, and what folding does with marks that NFKC would change."""
SINGLE_QUOTED = re.compile(r"(?<!\w)[‘‚‹]([^‘’‚‹›]+)[’‘›](?!\w)")  # noqa: RUF001
"""A phrase in typographic single quotes. These are also apostrophes."""
NUMBER = re.compile(r"(>=|<=|>|<|=)?(-?\d{1,9})")
AGO = re.compile(r"(\d{1,4})([dwmy])")
DAYS = MappingProxyType({"d": 1, "w": 7, "m": 30, "y": 365})
COMPARISONS = MappingProxyType(
    {
        ">": Comparison.MORE,
        ">=": Comparison.AT_LEAST,
        "<": Comparison.LESS,
        "<=": Comparison.AT_MOST,
        "=": Comparison.EQUAL,
        "": Comparison.EQUAL,
    }
)


def replace_operator(text: str, name: str, value: str) -> str:
    """Return the search `text` in which the operator `name` now has the value `value`.

    If `value` is empty, return the search without the operator.
    """
    kept = [part for part in parts(text) if not part.lower().startswith(f"{name}:")]
    return " ".join([*kept, f"{name}:{value}"] if value else kept)


class NotUnderstood(ValueError):
    """A part of a search has an unknown operator, a wrong value, or no words to search for."""


def parse(text: str, *, now: datetime, member: bool) -> Query:
    """Parse the text of a search. Parts that aren't understood are in `Query.unknown`.

    `now` is the time from which `after:7d` counts back. `member` says whether a member searches;
    only members can search for what they saved, liked or wrote.
    """
    clauses: list[list[Condition]] = []
    unknown: list[str] = []
    marks: list[str] = []
    joined, place = False, None
    for part in parts(text):
        if part == "OR":
            joined = bool(clauses)
            continue
        try:
            if where := _place(part):
                place = where
                continue
            condition = _condition(part, now, member=member)
        except NotUnderstood:
            (unknown if search_text.fold(part) else marks).append(part)
            continue
        if sum(map(len, clauses)) >= MOST:
            unknown.append(part)
        elif joined:
            clauses[-1].append(condition)
        else:
            clauses.append([condition])
        joined = False
    found = ([_in(place, one) for one in clause] for clause in clauses)
    return Query(tuple(map(tuple, found)), tuple(unknown if clauses else [*unknown, *marks]))


def simplified(text: str) -> str:
    """Return a search with plain quotes and colons, and without marks between its parts."""
    return " ".join(parts(text))


@lru_cache(maxsize=256)
def parts(text: str) -> tuple[str, ...]:
    """Return the parts of a search: words, phrases in quotes, and operators with their values."""
    spaced = FULL_WIDTH_COLON.sub(" ", SPACED_OPERATOR.sub(r"\1:", text))
    quoted = SINGLE_QUOTED.sub(r'"\1"', spaced).translate(PLAIN_MARKS)
    return tuple(match[0] for match in PART.finditer(unicodedata.normalize("NFKC", quoted)))


def _bare(part: str) -> str:
    """Return an operator and its value without the marks beside them."""
    return MARKS_AFTER.sub("", part.strip("()[]{}"))


def _place(part: str) -> Place | None:
    """Return where to look for the words of a search, if `part` is `in:title` or `-in:title`.

    Returns None for any other part of the search.
    """
    return {"in:title": Place.TITLE, "-in:title": Place.TEXT}.get(_bare(part).lower())


def _in(place: Place | None, condition: Condition) -> Condition:
    if place is None or not isinstance(condition.asked, Words):
        return condition
    return replace(condition, asked=replace(condition.asked, place=place))


def _condition(part: str, now: datetime, *, member: bool) -> Condition:
    negated = part.startswith("-") and not part.startswith("--")
    rest = part[1:] if negated else part
    if not rest.startswith('"') and (match := OPERATOR.fullmatch(_bare(rest))):
        asked = _operator(match[1].lower(), match[2].strip("\"'"), now)
        if isinstance(asked, Is) and asked.trait in OWN and not member:
            raise NotUnderstood
        return Condition(asked, negated)
    words = rest.strip('"')
    pattern = search_text.pattern(words)
    if not pattern:
        raise NotUnderstood
    return Condition(Words(words, pattern), negated)


def _operator(name: str, value: str, now: datetime) -> Asked:
    if name not in OPERATORS or not value:
        raise NotUnderstood
    return OPERATORS[name](value, now)


def _is(value: str, _now: datetime) -> Is:
    if value.lower() not in set(Trait):
        raise NotUnderstood
    return Is(Trait(value.lower()))


def _site(value: str, _now: datetime) -> OnSite:
    host = terms.host_of(value)
    if not host:
        raise NotUnderstood
    return OnSite(host)


def _before(value: str, now: datetime) -> Posted:
    return Posted(_time(value, now), after=False)


def _after(value: str, now: datetime) -> Posted:
    return Posted(_time(value, now), after=True)


def _time(value: str, now: datetime) -> datetime:
    """Return the time that a person searches for.

    For a date, this is the first second of that day in UTC; for a span like 7d, the time 7 days
    before `now`.
    """
    if match := AGO.fullmatch(value.lower()):
        try:
            return now - timedelta(days=int(match[1]) * DAYS[match[2]])
        except OverflowError as error:
            raise NotUnderstood from error
    try:
        day = date.fromisoformat(value)
    except ValueError as error:
        raise NotUnderstood from error
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _counted(what: Count) -> Callable[[str, datetime], Counted]:
    def read(value: str, _now: datetime) -> Counted:
        match = NUMBER.fullmatch(value)
        if match is None:
            raise NotUnderstood
        return Counted(what, COMPARISONS[match[1] or ""], int(match[2]))

    return read


OPERATORS: MappingProxyType[str, Callable[[str, datetime], Asked]] = MappingProxyType(
    {
        "author": lambda value, _now: Author(value.removeprefix("@")),
        "group": lambda value, _now: InGroup(value.lower()),
        "site": _site,
        "is": _is,
        "before": _before,
        "after": _after,
        "points": _counted(Count.POINTS),
        "comments": _counted(Count.COMMENTS),
    }
)
"""For each operator, a function that reads its value. Raises NotUnderstood."""
NAMES = "|".join([*OPERATORS, "in"])
SPACED_OPERATOR = re.compile(
    rf"(?<![^\s(-])({NAMES})(?:\s+[:：﹕︓]\s*|:\s+|[：﹕︓]\s*)(?=\S)",  # noqa: RUF001
    re.IGNORECASE,
)
"""An operator with a full-width colon, or with spaces beside its colon: `author: ada`."""
FULL_WIDTH_COLON = re.compile("[：﹕︓]")  # noqa: RUF001
