"""What waits in people's inboxes."""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Unread:
    """How many inbox items of each type one person has not read; types without any are left out.

    `counted_at` is when counting began, in microseconds since 1970.
    """

    user_id: int
    by_type: MappingProxyType[str, int]
    counted_at: int

    @property
    def total(self) -> int:
        return sum(self.by_type.values())
