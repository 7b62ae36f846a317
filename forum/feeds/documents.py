"""The content of a feed. If the client already has this content, no XML is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

EPOCH = datetime.fromtimestamp(0, UTC)
"""The time of an empty feed: Atom requires a time, and it must not change."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A post, comment, moderation action or inbox item in a feed."""

    key: str
    """The end of the entry's permanent id. It never changes, so it contains no title or time."""
    title: str
    path: str
    """The path of the entry's page."""
    author: str
    published: datetime
    updated: datetime
    html: str
    """The sanitized text; its links may be relative to `path`."""
    author_path: str = ""
    """The path of the author's profile; "" if the author isn't a person with a profile."""
    groups: tuple[tuple[str, str], ...] = ()
    """The short name and the title of each group."""
    link: str = ""
    """The page on another site that a post is about."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed: the newest or highest-ranked entries of a page of the site."""

    title: str
    path: str
    """The path of the page that has the same entries."""
    own_path: str
    """The path of the feed, with the query parameters that select its entries."""
    entries: Sequence[Entry]
    is_ranked: bool = False
    """Whether older entries may enter the feed, so that `updated` doesn't show every change."""
    key: str = ""
    """The path in the permanent id of a private feed, whose own path is secret; "" if public."""

    @property
    def updated(self) -> datetime:
        """The time of the last change of any entry."""
        return max((entry.updated for entry in self.entries), default=EPOCH)

    def digest(self, *context: str) -> str:
        """Return a hash of the feed and of `context`: the other values that the XML depends on."""
        return sha256(repr((context, self)).encode(errors="replace")).hexdigest()[:32]
