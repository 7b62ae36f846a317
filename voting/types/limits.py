"""Rate limits."""

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Window:
    """A sliding window of a rate limit: at most `hits` actions within any `seconds` seconds."""

    hits: int
    seconds: int


Windows = tuple[Window, ...]


class VoteRule(IntEnum):
    """A limit of votes in 24 hours that depends on the vote, and on its target's author."""

    ON_AUTHOR = 1
    DOWN = 2
    DOWN_ON_AUTHOR = 3


@dataclass(frozen=True, slots=True)
class DailyVotes:
    """How many votes of one person may change in 24 hours, in the order of `VoteRule`. 0: any.

    A vote that is taken back needs no room, but the limit still counts it.
    """

    on_author: int = 0
    down: int = 0
    down_on_author: int = 0

    def of_vote(self, vote: int) -> str:
        """Return the limits of a vote (1, 0, -1) for Lua (see `daily_votes.lua`); "" if none."""
        up, down = (self.on_author, 0, 0), (self.on_author, self.down, self.down_on_author)
        limits = {1: up, -1: down}.get(vote, ())
        return " ".join(map(str, (min(filter(None, limits)), *limits))) if any(limits) else ""


NO_DAILY_LIMITS = DailyVotes()


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often a subject, such as a person or an IP address, may do an action."""

    subject: str
    """Whose actions are counted, as a letter and an id.

    "u" and a user id, "a" and an IP address, or "m" and a domain of email addresses.
    """
    action: str
    windows: Windows
    same_text: int = 0
    """Seconds in which the subject may not repeat a text; 0 allows repeated texts."""
