"""What one comment looks like: a pure function of what it shows, rendered once and remembered.

What a comment says is not remembered but put in where it belongs, and so is the address of the
page, to which a guest returns after log-in.
"""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from forum.pages import ages
from forum.pages.compact import squeezed
from forum.pages.rows import NEXT, Arrows, signed
from voting.types import Vote

REMEMBERED = 8_192
"""Comments kept in this process; about 2 kB each."""
BODY = "\x1c"
"""Stands in a remembered comment where its text belongs."""


class Votes(NamedTuple):
    """What a comment shows of its votes."""

    post_id: int
    id: int
    author: str
    up: int
    down: int
    vote: Vote
    arrows: Arrows

    @property
    def points(self) -> int:
        return self.up - self.down

    @property
    def word(self) -> str:
        return self.vote.name.lower()

    @property
    def says(self) -> str:
        return signed(self.points)


class Look(NamedTuple):
    """Everything a comment's HTML depends on, beside its text and the language."""

    votes: Votes
    posted_at: int
    age: int
    edited: int | None
    """The bucket of the age of the last marked edit."""
    parent: str
    """Where what it replies to is; empty for a reply to the post."""
    next_id: int | None
    deleted: bool
    may_edit: bool
    may_delete: bool
    by_poster: bool
    """Whether the author of the post wrote it."""
    question: bool
    answer: bool
    accepted: bool
    may_accept: bool
    fresh: bool
    """Whether it is new since the last visit."""
    focus: bool
    """Whether the page is about it alone."""
    sort: str = ""
    """How the reader sorts the thread, for the link to the reply form; "" is the usual way."""


class FlatLook(NamedTuple):
    """Everything that the HTML of one of the newest comments depends on, as `Look` for a thread."""

    votes: Votes
    posted_at: int
    age: int
    edited: int | None
    parent_id: int
    """0 for a reply to the post."""
    title: str
    """That of its post; empty on pages about one post."""
    address: str
    """Where that post is."""


@lru_cache(maxsize=REMEMBERED)
def article(look: Look, language: str) -> str:
    """Render a comment in the active language, which `language` names for the memory's sake."""
    return squeezed("partials/comment.html", _shown(look))


def _shown(look: Look | FlatLook) -> dict[str, Any]:
    return {
        "look": look,
        "votes": look.votes,
        "posted": datetime.fromtimestamp(look.posted_at, UTC),
        "age": ages.words(look.age),
        "edited": None if look.edited is None else ages.words(look.edited),
        "next": NEXT,
        "body": SafeString(BODY),
    }


@lru_cache(maxsize=REMEMBERED)
def flat(look: FlatLook, language: str) -> str:
    """Render one of the newest comments, as `article` does a comment of a thread."""
    return squeezed("partials/flat_comment.html", _shown(look))


@lru_cache(maxsize=REMEMBERED)
def fold(author: str, replies: int, language: str, *, answer: bool, accepted: bool) -> str:
    """Render what folds a comment with all below it, and stays; a deleted one has no author."""
    shown = {"author": author, "replies": replies, "answer": answer, "accepted": accepted}
    return squeezed("partials/comment_fold.html", shown)


@lru_cache(maxsize=REMEMBERED)
def more(post_id: int, comment_id: int, hidden: int, deep: bool, language: str) -> str:
    """Render the way to replies that are not on the page, if there are any."""
    if not hidden:
        return ""
    shown = {"post_id": post_id, "id": comment_id, "hidden": hidden, "deep": deep}
    return squeezed("partials/comment_more.html", shown)


def fragment(votes: Votes) -> str:
    """Render what a vote changes of a comment, for the script."""
    return squeezed("partials/comment_votes.html", {"votes": votes})
