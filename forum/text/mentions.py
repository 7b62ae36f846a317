"""The people a text mentions: names with an @ before them.

The same pass over a text makes the links and lists the names, so that who is shown as mentioned is
who is notified.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from django.urls import reverse
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from forum.text.scripts import LATIN
from forum.text.usernames import LONGEST, SHORTEST

MENTION = re.compile(
    # An address that is no link here: passed over up to its end.
    rf"(?:(?i:(?<![{LATIN}_])[a-z][a-z0-9+.-]{{1,15}}:(?://|\?)|(?<![{LATIN}_.-])(?:[a-z0-9-]++\.)++[a-z]++[/?#])"
    r"|(?<![!-~])/)[!-~]*+"
    # A name: not within an address, and not the beginning of one (`@ada.example.org`).
    rf"|(?<![{LATIN}_@/.=])@(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*+)"
    rf"(?![{LATIN}_@]|\.[A-Za-z0-9]|:[A-Za-z0-9-]+\.[A-Za-z])"
)
PAUSE = re.compile(r"--|__|[_-]+\Z")
"""Where a name may end before its letters do: `@ada--nice`, `@ada-`."""

NAMES = 50
"""Names of one text that are looked up."""
NOTIFIED = 10
"""People mentioned in one text who are notified."""
SPELT = "spelt"
"""Where the parser is told who there is."""
MENTIONED = "mentioned"
"""Where the parser leaves the names that it found, in small letters, each once."""

Spelt = Callable[[Sequence[str]], Mapping[str, str]]
"""Tells of names in small letters how the people who have them spell them."""


def link_people(state: StateCore) -> None:
    """Make every mention of somebody a link to them, and list who is mentioned.

    Names in links, in code and in quotes mention nobody: those are somebody else's words.
    """
    spelt: Spelt | None = state.env.get(SPELT)
    own = [token for token in _own_words(state.tokens) if "@" in token.content] if spelt else []
    names = dict.fromkeys(
        name
        for token in own
        for part in _plain(token.children or [])
        for found in MENTION.finditer(part.content)
        for name in _candidates(found)
    )
    people = spelt(list(names)[:NAMES]) if spelt and names else {}
    mentioned: dict[str, None] = {}
    for token in own if people else []:
        plain = {id(part) for part in _plain(token.children or [])}
        token.children = [
            piece
            for part in token.children or []
            for piece in (_linked(part.content, people, mentioned) if id(part) in plain else [part])
        ]
    state.env[MENTIONED] = list(mentioned)


def _own_words(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield what is written outside quotes."""
    quotes = 0
    for token in tokens:
        quotes += token.nesting if token.type.startswith("blockquote_") else 0
        if not quotes and token.type == "inline":
            yield token


def _plain(parts: Sequence[Token]) -> Iterator[Token]:
    """Yield text outside links."""
    links = 0
    for part in parts:
        links += part.nesting if part.type in {"link_open", "link_close"} else 0
        if part.type == "text" and not links:
            yield part


def _candidates(found: re.Match[str]) -> list[str]:
    """Return the names in small letters that a mention may mean, the longest first."""
    whole = (found["name"] or "").lower()
    names = dict.fromkeys((whole, whole.rstrip("_-"), PAUSE.split(whole)[0]))
    return [name for name in names if SHORTEST <= len(name) <= LONGEST]


def _linked(text: str, people: Mapping[str, str], mentioned: dict[str, None]) -> Iterator[Token]:
    """Yield a text with names of people as links. Their names say nothing about its direction."""
    end = 0
    for found in MENTION.finditer(text):
        name = next((name for name in _candidates(found) if name in people), None)
        if name is None:
            continue
        mentioned[name] = None
        begin, after = found.start(), found.start() + 1 + len(name)
        address = reverse("profile", args=[people[name]])
        yield Token("text", "", 0, content=text[end:begin])
        yield Token("link_open", "a", 1, attrs={"href": address, "dir": "ltr"})
        yield Token("text", "", 0, content=text[begin:after])
        yield Token("link_close", "a", -1)
        end = after
    yield Token("text", "", 0, content=text[end:])
