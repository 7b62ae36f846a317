"""The address of a request as log lines have it."""

from django.http import HttpRequest

SECRETS = {"token", "key"}
"""Parts of addresses that prove who comes: what they stand for is not for a log."""


def told(request: HttpRequest) -> str:
    """Return the address without what proves who came by it: links in mail are as good as keys."""
    match = request.resolver_match
    return match.route if match and SECRETS & match.kwargs.keys() else request.path
