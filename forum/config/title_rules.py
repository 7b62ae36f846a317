"""The limits on fetching the titles of pages that people want to post."""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

Address = IPv4Address | IPv6Address
DEFAULT_PORTS = {"http": 80, "https": 443}


def is_public(address: Address) -> bool:
    """Return whether an IP address is public. False for 6to4, which embeds another address."""
    if isinstance(address, IPv6Address) and (address.is_site_local or address.sixtofour):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


@dataclass(frozen=True, slots=True)
class TitleRules:
    """The limits on fetching a page."""

    is_allowed: Callable[[Address], bool] = is_public
    ports: frozenset[int] = frozenset(DEFAULT_PORTS.values())
    seconds: float = 5.0
    """The most seconds for fetching a title, including redirects."""
    size: int = 256_000
    """The most bytes of a page to read."""
