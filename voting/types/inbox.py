"""Unread counts of inbox items."""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class UnreadCounts:
    """The number of unread inbox items that a person has of each type.

    Types without unread items are left out. `counted_at` is when counting in SQL began (µs since
    1970).
    """

    user_id: int
    by_type: MappingProxyType[str, int]
    counted_at: int

    @property
    def total(self) -> int:
        return sum(self.by_type.values())
