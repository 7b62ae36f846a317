"""Turns mentions such as `@ada` in a text into links, and lists the people's names.

The same pass does both, so exactly the people whose names became links are notified.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from django.urls import reverse
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

NAMES = 50
"""Maximum number of names that are looked up for one text."""
NOTIFIED = 10
"""Maximum number of people who are notified because one text mentions them."""
LOOKUP = "find_names"
"""Key in the parser's `env` for the function that finds people by name."""
MENTIONED = "mentioned"
"""Key in the parser's `env` for the mentioned names, in lower case and without repeats."""
UNKNOWN = "unknown"
"""Key in the parser's `env` for the names in mentions that are nobody's."""

NameLookup = Callable[[Sequence[str]], Mapping[str, str]]
"""A function that finds people by lower-case names.

It returns a mapping from each known name to the spelling that the person chose.
"""


def link_people(state: StateCore) -> None:
    """Turn mentions into links, and list the people mentioned.

    Mentions in links, code and quotes are ignored.
    """
    find_names: NameLookup | None = state.env.get(LOOKUP)
    own = (
        [token for token in _own_words(state.tokens) if "@" in token.content] if find_names else []
    )
    names = dict.fromkeys(
        name
        for token in own
        for part in _plain(token.children or [])
        for found in _mentions(part.content)
        for name in _candidates(found)
    )
    looked_up = list(names)[:NAMES]
    people = find_names(looked_up) if find_names and names else {}
    mentioned: dict[str, None] = {}
    state.env[UNKNOWN] = _unknown(own, people, looked_up)
    for token in own if people else []:
        plain = {id(part) for part in _plain(token.children or [])}
        token.children = [
            piece
            for part in token.children or []
            for piece in (_linked(part.content, people, mentioned) if id(part) in plain else [part])
        ]
    state.env[MENTIONED] = list(mentioned)


def _unknown(
    own: Sequence[Token], people: Mapping[str, str], looked_up: Sequence[str]
) -> list[str]:
    """Return the names in mentions that are nobody's, without repeats and as they were written."""
    names: dict[str, str] = {}
    for token in own:
        for part in _plain(token.children or []):
            for found in _mentions(part.content):
                candidates = _candidates(found)
                if candidates and people.keys().isdisjoint(candidates):
                    names.setdefault(candidates[0], found["name"])
    asked = set(looked_up)
    return [name for lower, name in names.items() if lower in asked]


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


def _candidates(found: re.Match[str]) -> list[str]:
    """Return the names that an @mention may stand for, in lower case, longest first."""
    whole = found["name"].lower()
    names = dict.fromkeys((whole, whole.rstrip("_-"), PAUSE.split(whole)[0]))
    return [name for name in names if SHORTEST <= len(name) <= LONGEST]


def _linked(text: str, people: Mapping[str, str], mentioned: dict[str, None]) -> Iterator[Token]:
    """Yield the tokens of a text, with links for people's names.

    Links are left to right, and don't change the writing direction of the text around them.
    """
    end = 0
    for found in _mentions(text):
        name = next((name for name in _candidates(found) if name in people), None)
        if name is None:
            continue
        mentioned[name] = None
        begin, after = found.start("name") - 1, found.start("name") + len(name)
        address = reverse("profile", args=[people[name]])
        yield Token("text", "", 0, content=text[end:begin])
        yield Token("link_open", "a", 1, attrs={"href": address, "dir": "ltr"})
        yield Token("text", "", 0, content=text[begin:after])
        yield Token("link_close", "a", -1)
        end = after
    yield Token("text", "", 0, content=text[end:])
