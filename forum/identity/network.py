"""Network addresses of clients."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

IPV6_PREFIX = 64
"""Length of the IPv6 prefix of one household, which chooses the remaining bits itself."""


def parse(text: str) -> IPv4Address | IPv6Address:
    """Return the parsed IP address; an IPv4 address in IPv6 form (::ffff:192.0.2.1) becomes IPv4.

    Raises ValueError.
    """
    address = ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def client_network(request: HttpRequest) -> str:
    """Return the network that a request comes from: an IPv4 address, or an IPv6 /64 network.

    All requests without a known address (`AccountAdapter.get_client_ip`) count as one network.
    """
    text = str(get_adapter().get_client_ip(request))
    try:
        address = parse(text)
    except ValueError:
        return text
    if address.version == 4:
        return str(address)
    return str(ip_network((address, IPV6_PREFIX), strict=False))
