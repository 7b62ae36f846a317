"""The standing of a post in `hot`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a post is in `hot` and how many votes it needs to pass the next one."""

    post_id: int
    posted_at: int
    up: int
    down: int
    score: float
    """Seconds since 1970: the posting time plus what the votes are worth."""
    rank: int | None
    """1 is the first of `hot`; None if the post is not ranked."""
    total: int
    next_id: int | None
    """The post just above, or None."""
    votes_to_next: int | None
    """Up votes that would pass the post just above."""
    next_card: str | None = None
    """The card of that post."""
    one_vote: float = 0.0
    """Seconds that one net vote is worth to a post with these points; 0 under `log`."""

    @property
    def vote_seconds(self) -> float:
        return self.score - self.posted_at
