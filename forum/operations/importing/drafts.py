"""Posts that are ready to be saved in SQL, and random votes on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from forum.models import Group, Post
from forum.store.service import get_voting_service
from voting.types import Vote

SPREAD = 86_400
"""The votes on a post are spread over this many seconds after posting."""


class Cast(NamedTuple):
    """A person's vote. It is a plain tuple, because an import creates very many votes."""

    user_id: int
    vote: Vote
    at: int
    """When the vote was cast, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A post that is ready to be saved in SQL, with its URL normalised by `forum.text.links`."""

    origin: str
    author_id: int
    kind: Post.Kind
    title: str
    posted_at: int
    """When the post was posted, in seconds since 1970."""
    groups: tuple[Group, ...]
    votes: tuple[Cast, ...] = ()
    """The votes on the post, including the author's up vote; at most one vote per person.

    Without votes, the author's up vote counts as on each post, but isn't in SQL.
    """
    starting_points: int = 0
    """Points that the post has besides its votes."""
    url: str = ""
    body: str = ""

    @property
    def up(self) -> int:
        return sum(cast.vote is Vote.UP for cast in self.votes) if self.votes else 1

    @property
    def down(self) -> int:
        return sum(cast.vote is Vote.DOWN for cast in self.votes)


def draw(
    key: str, *, author_id: int, posted_at: int, up: int, down: int, people: Sequence[int]
) -> tuple[Cast, ...]:
    """Return `up` + `down` votes on a post by random people, including the author's up vote.

    Equal arguments always choose the same people. `people` must have at least `up` + `down` ids,
    and may include the author's. All times are within the voting window and not in the future.
    """
    random = Random(key)  # noqa: S311 - nobody gains from guessing who is drawn
    span = min(SPREAD, get_voting_service().rules.window, get_voting_service().now() - posted_at)
    drawn = [person for person in random.sample(people, up + down) if person != author_id]
    others = (
        Cast(person, Vote.UP if number < up else Vote.DOWN, posted_at + int(random.random() * span))
        for number, person in enumerate(drawn[: up + down - 1], start=1)
    )
    return Cast(author_id, Vote.UP, posted_at), *others
