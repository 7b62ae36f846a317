"""Network addresses of clients."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

IPV6_PREFIX = 64
"""The length, in bits, of the part of an IPv6 address that all devices of a household share."""


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
