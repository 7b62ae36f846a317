"""Addresses that people try because other sites have them, and suggestions for unknown ones."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches

from django.db import DatabaseError
from django.urls import reverse

from forum.queries.groups import Topic, close_names, directory

FAMILIAR = {
    "groups": "groups",
    "communities": "groups",
    "login": "account_login",
    "signin": "account_login",
    "signup": "account_signup",
    "register": "account_signup",
    "settings": "preferences",
    "theme": "display",
    "faq": "about",
    "help": "about",
    "feed": "feed",
    "feed.xml": "feed",
    "rss": "feed",
    "rss.xml": "feed",
    "atom.xml": "feed",
}
"""Paths without slashes, and the names of the URLs to which they lead."""
CLOSE, SIMILAR = 2, 0.75
"""The most familiar paths to suggest, and how similar they must be (0 to 1)."""
MOST_LETTERS = 100
"""Longer words are no words: they are neither searched nor compared."""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Help on the page for an unknown address."""

    word: str
    """The last part of the address as words to search for; "" if it has no words."""
    groups: Sequence[Topic]
    paths: Sequence[str]
    """Familiar paths, which lead to pages."""


def familiar_url(path: str) -> str:
    """Return the URL of the page that people expect at a path; "" if nothing is expected there."""
    name = FAMILIAR.get(path.strip("/").lower())
    return reverse(name) if name else ""


def suggestions_for(path: str) -> Suggestions:
    """Return what a person may have wanted at an unknown path. Usually no query."""
    part = path.rstrip("/").rpartition("/")[2]
    word = " ".join(re.findall(r"[^\W_]+", part))
    if not re.search(r"[^\W\d]", word) or len(word) > MOST_LETTERS:
        return Suggestions("", (), ())
    groups: Sequence[Topic] = ()
    with suppress(DatabaseError):
        groups = close_names((part,), directory.topics())
    close = get_close_matches(part.lower(), FAMILIAR, CLOSE, SIMILAR)
    return Suggestions(word, groups, [f"/{name}" for name in close])
