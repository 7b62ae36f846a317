"""What is known of a post before it is written."""

from dataclasses import dataclass
from typing import NamedTuple

from forum.models import Group, Post
from voting.types import Vote


class Cast(NamedTuple):
    """A vote somebody cast; a plain tuple, since an import makes hundreds of thousands."""

    user_id: int
    vote: Vote
    at: int
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A post that is ready to be written. `url` is normalised (`forum.text.links`)."""

    origin: str
    author_id: int
    kind: Post.Kind
    title: str
    posted_at: int
    """Seconds since 1970."""
    groups: tuple[Group, ...]
    votes: tuple[Cast, ...]
    """At most one a person, the author's own up vote among them."""
    url: str = ""
    body: str = ""

    def count(self, vote: Vote) -> int:
        """Return how many people voted so."""
        return sum(cast.vote is vote for cast in self.votes)
