"""Cards: what a listing shows of a post and votes never change, packed for Redis."""

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from forum.models import Post
from forum.text.hosts import shown


@dataclass(frozen=True, slots=True)
class Card:
    """The unchanging part of a row."""

    title: str
    url: str
    kind: str
    slug: str
    author: str
    answered: bool = False

    @property
    def domain(self) -> str:
        """The outside address's host without "www."; empty for texts and questions."""
        return shown((urlsplit(self.url).hostname or "").removeprefix("www."))


def pack(post: Post) -> str:
    """Return a post's card as text; reads the author's name, so select it with the post."""
    card = (post.title, post.url, post.kind, post.slug, post.author.get_username())
    answered = (True,) if post.accepted_id else ()
    return json.dumps(card + answered, ensure_ascii=False, separators=(",", ":"))


def unpack(text: str) -> Card:
    """Return the card that `pack` made."""
    return Card(*json.loads(text))
