"""Addresses of the network, as whoever asks has them."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

IPV6_NETWORK = 64
"""Bits of an IPv6 address that one household has; the rest it can choose at will."""


def read(given: str) -> IPv4Address | IPv6Address:
    """Return an address; one of IPv4 that came by a socket of IPv6 (::ffff:192.0.2.1) as what it
    is. Raises ValueError.
    """
    known = ip_address(given)
    return getattr(known, "ipv4_mapped", None) or known


def place(given: str) -> str:
    """Return whom an address belongs to: of IPv6 only the part that is given to a place. What is no
    address (`AccountAdapter.get_client_ip`) is a place of its own.
    """
    try:
        known = read(given)
    except ValueError:
        return given
    whole = ip_network((known, IPV6_NETWORK), strict=False) if known.version == 6 else known
    return str(whole)
