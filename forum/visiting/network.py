"""Addresses of the network, as whoever asks has them."""

from ipaddress import IPv4Address, IPv6Address, ip_address


def read(given: str) -> IPv4Address | IPv6Address:
    """Return an address; one of IPv4 that came by a socket of IPv6 (::ffff:192.0.2.1) as what it
    is. Raises ValueError.
    """
    known = ip_address(given)
    return getattr(known, "ipv4_mapped", None) or known
