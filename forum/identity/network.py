"""Network addresses of clients."""

from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from allauth.account.adapter import get_adapter
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

IPV6_PREFIX = 64
"""The length, in bits, of the part of an IPv6 address that all devices of a household share."""
COARSE = {4: 24, 6: 48}
"""The length, in bits, of the part of an address that the list of sessions shows, by version."""


def parse(text: str) -> IPv4Address | IPv6Address:
    """Return a parsed IP address. An IPv4 address in IPv6 form (::ffff:192.0.2.1) becomes IPv4.

    Raises ValueError if the text is not an IP address.
    """
    address = ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def client_network(request: HttpRequest) -> str:
    """Return the network of a request: its IPv4 address, or the /64 network of its IPv6 address.

    All requests without a known address share one network.
    """
    text = str(get_adapter().get_client_ip(request))
    try:
        address = parse(text)
    except ValueError:
        return text
    if address.version == 4:
        return str(address)
    return str(ip_network((address, IPV6_PREFIX), strict=False))


def network_hash(request: HttpRequest, at: datetime | None = None) -> str:
    """Return a hash of the request's network, with a key that changes each month (UTC).

    Two requests of one month come from the same network if their hashes are equal. Hashes of
    different months can't be compared. `at` chooses the month; None for the current one.
    """
    salt = f"forum.identity.network:{month_of(at or timezone.now())}"
    return salted_hmac(salt, client_network(request), algorithm="sha256").hexdigest()[:32]


def month_of(at: datetime) -> str:
    """Return the month (UTC) whose key hashes of networks have at this time."""
    return at.astimezone(UTC).strftime("%Y-%m")


def coarse_network(request: HttpRequest) -> str:
    """Return the /24 network of a request's IPv4 address, or the /48 network of its IPv6 address.

    Returns "" if the address isn't known.
    """
    try:
        address = parse(str(get_adapter().get_client_ip(request)))
    except ValueError:
        return ""
    return str(ip_network((address, COARSE[address.version]), strict=False))
