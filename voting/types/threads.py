"""How the comments of a thread are ranked."""

from enum import StrEnum


class Sort(StrEnum):
    """What comes first among the replies to one thing."""

    BEST = "best"
    TOP = "top"
    NEW = "new"
    OLD = "old"
    CONTROVERSIAL = "controversial"
