"""Post cards, which Redis stores so that listings can show posts without a query to SQL.

A card has the data of a post that listings show, except votes, counts and groups. Add new fields at
the end of `Card` with a default value. Older cards in Redis can then still be read.
"""

import json
from dataclasses import dataclass, fields
from functools import lru_cache
from urllib.parse import urlsplit

from django.db.models import QuerySet

from forum.models import Post, User
from forum.models.managers import TEXTS
from forum.text.hosts import display_host

REMEMBERED = 4_096
"""How many unpacked cards a process caches. Each card takes about 500 bytes."""


@dataclass(frozen=True, slots=True)
class Card:
    """The data of a post that listings show, except votes, counts and groups."""

    title: str
    url: str
    kind: str
    slug: str
    author: str
    answered: bool = False
    comment_id: int = 0
    """The id of the newest comment that isn't deleted; 0 if there is none."""
    commented_at: int = 0
    """The time of the newest comment, in seconds since 1970."""
    commenter: str = ""
    """The user name of the newest comment's author."""
    merged_into: int = 0
    """The id of the post that remains, if moderators merged this post into another. Otherwise 0."""
    merged_title: str = ""
    merged_slug: str = ""

    @property
    def domain(self) -> str:
        """Return the link's host without "www.", for display; "" for texts and questions."""
        return domain(self.url)

    @property
    def host(self) -> str:
        """Return the link's host without "www.", as in `Post.host`; "" for texts and questions."""
        return host(self.url)


def domain(url: str) -> str:
    """Return the host of a URL without "www.", for display; "" for an empty URL."""
    return display_host(host(url))


def host(url: str) -> str:
    """Return the host of a URL in ASCII, without "www."; "" for an empty URL."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def card_of(post: Post, author: User) -> Card:
    """Return the card that `muting.is_muted` needs to check whether a search result is muted.

    If the result is a comment, `post` is the comment's post, and `author` is the comment's author.
    """
    return Card(post.title, post.url, post.kind, post.slug, author.username)


def with_cards(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Make a query of posts also load what `pack` needs: authors and newest comments."""
    found = posts.select_related("author", "last_comment__author")
    return found.defer(*(f"last_comment__{name}" for name in TEXTS))


def pack(post: Post, merged_into: Post | None = None) -> str:
    """Return a post's card as text, to store in Redis.

    `merged_into` is the post that remains, if the post was merged.
    Pass a post from a query set that `with_cards` returned; otherwise this takes queries.
    """
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
        merged_into=merged_into.pk if merged_into else 0,
        merged_title=merged_into.title if merged_into else "",
        merged_slug=merged_into.slug if merged_into else "",
    )
    values = [getattr(card, field.name) for field in fields(card)]
    while not values[-1]:  # leave out defaults at the end: `unpack` adds them
        values.pop()
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=REMEMBERED)
def unpack(text: str) -> Card:
    """Turn text made by `pack` back into a card."""
    return Card(*json.loads(text))
