"""The standing of a post: its rank in `hot`, and the votes that it needs to rise."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """The rank of a post in `hot`, and the votes that it needs to pass the post just above it."""

    post_id: int
    posted_at: int
    up: int
    down: int
    score: float
    """The hot score (seconds since 1970): the posting time plus the seconds that the votes add."""
    rank: int | None
    """The post's rank in `hot`, where 1 is the first; None if the post is not in that ranking."""
    total: int
    next_id: int | None
    """The id of the post just above this one in `hot`; None if no post is above."""
    votes_to_next: int | None
    """How many more up votes the post needs to pass the post just above it.

    None if no post is above, or if this post can't pass that post, however many votes it gets.
    """
    next_card: str | None = None
    """The card of the post just above this one."""
    one_vote: float = 0.0
    """Seconds that one more point adds to the hot score of this post; 0 under `log`."""
    starting_points: int = 0
    """Points that nobody's vote gave, such as points on another site."""

    @property
    def points(self) -> int:
        return self.up - self.down + self.starting_points

    @property
    def vote_seconds(self) -> float:
        return self.score - self.posted_at
