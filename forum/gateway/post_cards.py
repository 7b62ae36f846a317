"""Cards: what a listing shows of a post and votes never change, packed for Redis."""

import json
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from django.db.models import QuerySet

from forum.models import Post
from forum.text.hosts import shown

REMEMBERED = 4_096
"""Cards kept in this process; about 500 bytes each."""


@dataclass(frozen=True, slots=True)
class Card:
    """The unchanging part of a row."""

    title: str
    url: str
    kind: str
    slug: str
    author: str
    answered: bool = False
    comment_id: int = 0
    """The newest comment that is not deleted; 0 if there is none."""
    commented_at: int = 0
    """When it was written, in seconds since 1970."""
    commenter: str = ""
    """Who wrote it."""

    @property
    def domain(self) -> str:
        """The outside address's host without "www."; empty for texts and questions."""
        return domain(self.url)


def domain(url: str) -> str:
    """Return an address's host as people see it, without "www."; empty if there is no address."""
    return shown((urlsplit(url).hostname or "").removeprefix("www."))


def with_cards(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Return posts with what `pack` reads of other tables. No query more."""
    found = posts.select_related("author", "last_comment__author")
    return found.defer("last_comment__body", "last_comment__body_html")


def pack(post: Post) -> str:
    """Return a post's card as text; see `with_cards` for what it reads."""
    card: tuple[str | int, ...]
    card = (post.title, post.url, post.kind, post.slug, post.author.get_username())
    last = post.last_comment
    if last:
        at = int(last.created_at.timestamp())
        card += (bool(post.accepted_id), last.pk, at, last.author.get_username())
    elif post.accepted_id:
        card += (True,)
    return json.dumps(card, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=REMEMBERED)
def unpack(text: str) -> Card:
    """Return the card that `pack` made."""
    return Card(*json.loads(text))
