"""Post cards: the part of a row that votes don't change, stored in Redis with the post.

Listings are shown from cards without asking SQL. New fields go to the end of `Card`, with a false
default, so that cards stored before can still be read.
"""

import json
from dataclasses import dataclass, fields
from functools import lru_cache
from urllib.parse import urlsplit

from django.db.models import QuerySet

from forum.models import Post
from forum.text.hosts import display_host

REMEMBERED = 4_096
"""How many unpacked cards a process caches; each takes about 500 bytes."""


@dataclass(frozen=True, slots=True)
class Card:
    """The parts of a post that a row shows, without votes, counts and groups."""

    title: str
    url: str
    kind: str
    slug: str
    author: str
    answered: bool = False
    comment_id: int = 0
    """The id of the newest comment that is not deleted; 0 if there is none."""
    commented_at: int = 0
    """When the newest comment was written, in seconds since 1970."""
    commenter: str = ""
    """The user name of the newest comment's author."""

    @property
    def domain(self) -> str:
        """Return the host of the link without "www."; "" for texts and questions."""
        return domain(self.url)


def domain(url: str) -> str:
    """Return the host of a URL as people see it, without "www."; "" for an empty URL."""
    return display_host((urlsplit(url).hostname or "").removeprefix("www."))


def with_cards(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Return posts with what `pack` reads from other tables, joined into the same query."""
    found = posts.select_related("author", "last_comment__author")
    return found.defer("last_comment__body", "last_comment__body_html")


def pack(post: Post) -> str:
    """Return a post's card as text for Redis; `with_cards` selects what this reads."""
    last = post.last_comment
    card = Card(
        title=post.title,
        url=post.url,
        kind=post.kind,
        slug=post.slug,
        author=post.author.get_username(),
        answered=bool(post.accepted_id),
        comment_id=last.pk if last else 0,
        commented_at=int(last.created_at.timestamp()) if last else 0,
        commenter=last.author.get_username() if last else "",
    )
    values = [getattr(card, field.name) for field in fields(card)]
    while not values[-1]:  # `unpack` fills in defaults, so a card takes no room for them
        values.pop()
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=REMEMBERED)
def unpack(text: str) -> Card:
    """Return the card from the text that `pack` made."""
    return Card(*json.loads(text))
