"""Turns mentions such as `@ada` in a text into links, and lists the people's names.

The parser only marks mentions, so that its result depends on nothing but the text. Exactly the
people whose names become links are notified.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import escape
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from forum.text.scripts import LATIN
from forum.text.usernames import LONGEST, SHORTEST

MENTION = re.compile(
    # A URL that is not a link in the HTML: skipped to its end.
    rf"(?:(?i:(?<![{LATIN}_])[a-z][a-z0-9+.-]{{1,15}}:(?://|\?)|(?<![{LATIN}_.-])(?:[a-z0-9-]++\.)++[a-z]++[/?#])"
    r"|(?<![!-~])/)[!-~]*+"
    # A name: not within a URL, and not the beginning of one (`@ada.example.org`).
    rf"|(?:(?<![{LATIN}_@/.=])|(?P<joined>/))@(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*+)"
    rf"(?![{LATIN}_@]|\.[A-Za-z0-9]|:[A-Za-z0-9-]+\.[A-Za-z])"
)
PAUSE = re.compile(r"--|__|[_-]+\Z")
"""Matches where a mentioned name may end early, as `ada` in `@ada--nice` and `@ada-`."""

REL = "ugc nofollow noopener"
"""The `rel` of all links in texts."""
NAMES = 50
"""Maximum number of names that are looked up for one text."""
NOTIFIED = 10
"""Maximum number of people who are notified because one text mentions them."""
BEGIN, END = '<span class="mention">', "</span>"
"""The HTML around a mention until it is known whose name it is. No text's own HTML is like it."""
MARKED = re.compile(f"{BEGIN}@([A-Za-z0-9_-]+){END}")
WRITTEN = "mentions"
"""Key in the parser's `env` for the names in a text's mentions, as they were written."""

NameLookup = Callable[[Sequence[str]], Mapping[str, str]]
"""A function that finds people by lower-case names.

It returns a mapping from each known name to the spelling that the person chose.
"""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The HTML of a text, and the people it mentions."""

    html: str
    mentioned: tuple[str, ...] = ()
    """Lower-case names of the people in the text, without repeats, in order of appearance."""
    unknown: tuple[str, ...] = ()
    """Names in mentions that are nobody's, as they were written."""

    @property
    def notified(self) -> tuple[str, ...]:
        """The names of the people to notify: the first few of those mentioned."""
        return self.mentioned[:NOTIFIED]


def mark_mentions(state: StateCore) -> None:
    """Mark the mentions in a text, and list their names. `resolve` makes links of them.

    Mentions in links, code and quotes are ignored.
    """
    written: list[str] = []
    for token in _own_words(state.tokens):
        if "@" in token.content:
            plain = {id(part) for part in _plain(token.children or [])}
            token.children = [
                piece
                for part in token.children or []
                for piece in (_marked(part.content, written) if id(part) in plain else [part])
            ]
    state.env[WRITTEN] = written


def resolve(html: str, written: Sequence[str], find_names: NameLookup | None) -> Rendered:
    """Turn the marked mentions in HTML into links to people, and the others into plain text."""
    if not written:
        return Rendered(html)
    names = list(dict.fromkeys(name for each in written for name in _candidates(each)))[:NAMES]
    people = find_names(names) if find_names and names else {}
    found = filter(None, (_person(each, people) for each in written))
    mentioned = dict.fromkeys(people[name].lower() for name in found)
    linked = MARKED.sub(lambda mark: _linked(mark[1], people), html)
    unknown = _unknown(written, people, set(names)) if find_names else ()
    return Rendered(linked, tuple(mentioned), tuple(unknown))


def _unknown(
    written: Sequence[str], people: Mapping[str, str], looked_up: Collection[str]
) -> list[str]:
    """Return the names in mentions that are nobody's, without repeats and as they were written."""
    names: dict[str, str] = {}
    for each in written:
        candidates = _candidates(each)
        if candidates and people.keys().isdisjoint(candidates):
            names.setdefault(candidates[0], each)
    return [name for lower, name in names.items() if lower in looked_up]


def _own_words(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the paragraphs outside quotes."""
    quotes = 0
    for token in tokens:
        quotes += token.nesting if token.type.startswith("blockquote_") else 0
        if not quotes and token.type == "inline":
            yield token


def _plain(parts: Sequence[Token]) -> Iterator[Token]:
    """Yield the plain text in a paragraph, without the text of links."""
    links = 0
    for part in parts:
        links += part.nesting if part.type in {"link_open", "link_close"} else 0
        if part.type == "text" and not links:
            yield part


def _mentions(text: str) -> Iterator[re.Match[str]]:
    """Yield the @mentions in a text. A slash may join them, as in `@ada/@bob`."""
    end = -1
    for mention in MENTION.finditer(text):
        if mention["name"] and (not mention["joined"] or mention.start() == end):
            end = mention.end()
            yield mention


def _candidates(written: str) -> list[str]:
    """Return the names that an @mention may stand for, in lower case, longest first."""
    whole = written.lower()
    names = dict.fromkeys((whole, whole.rstrip("_-"), PAUSE.split(whole)[0]))
    return [name for name in names if SHORTEST <= len(name) <= LONGEST]


def _person(written: str, people: Mapping[str, str]) -> str | None:
    """Return the lower-case name of the person whom a mention stands for; None for nobody."""
    return next((name for name in _candidates(written) if name in people), None)


def _marked(text: str, written: list[str]) -> Iterator[Token]:
    """Yield the tokens of a text, with marks around mentions, and add the names to `written`."""
    end = 0
    for found in _mentions(text):
        written.append(found["name"])
        begin = found.start("name") - 1
        yield Token("text", "", 0, content=text[end:begin])
        yield Token("mention_open", "", 1)
        yield Token("text", "", 0, content=text[begin : found.end("name")])
        yield Token("mention_close", "", -1)
        end = found.end("name")
    yield Token("text", "", 0, content=text[end:])


def _linked(written: str, people: Mapping[str, str]) -> str:
    """Return the HTML of a mention: a link for a person's name, else plain text.

    Links are left to right, and don't change the writing direction of the text around them.
    """
    name = _person(written, people)
    if name is None:
        return f"@{written}"
    address = escape(reverse("profile", args=[people[name]]))
    words, rest = written[: len(name)], written[len(name) :]
    return f'<a href="{address}" dir="ltr" rel="{REL}">@{words}</a>{rest}'
