"""Checks that a request comes from a page of this site, for forms without a CSRF token.

Pages of guests are cached and shared, so they carry no token.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt


def is_from_our_page(request: HttpRequest) -> bool:
    """Return whether a request came from a page of this site.

    Uses the header `Sec-Fetch-Site`. Older browsers don't send this header, and no browser sends it
    over plain HTTP. Without it, uses `Origin` or `Ping-From`, which other sites can't forge.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site:
        return site == "same-origin"
    senders = (request.headers.get(name, "") for name in ("Origin", "Ping-From"))
    return any(_host(sender) == request.get_host() for sender in senders)


def form_without_token(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate the view of a form that has no CSRF token: refuse forms of other sites.

    Raises PermissionDenied.
    """

    @csrf_exempt
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and not is_from_our_page(request):
            raise PermissionDenied(
                _(
                    "This form was sent from another site, or the browser hides where it was sent"
                    " from. Nothing was changed. Open the page on this site and try again."
                )
            )
        return view(request, *args, **kwargs)

    return checked


def _host(address: str) -> str:
    """Return the host and port of a URL; "" if the URL is invalid."""
    try:
        return urlsplit(address).netloc
    except ValueError:
        return ""
