"""The words of counters."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PersonCounts:
    """What a person has done and received: posts and comments that are not deleted, up votes on
    what others wrote, votes from others (karma: up minus down), people followed and following.
    """

    posts: int = 0
    comments: int = 0
    likes_given: int = 0
    karma: int = 0
    follows: int = 0
    fans: int = 0
