"""Redirects from a form back to its page, and from unusual URLs to canonical ones."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

FOOTER = "#foot-you"
"""The fragment of the footer with the buttons for theme and language."""


def origin(request: HttpRequest, otherwise: str) -> str:
    """Return the URL in the form's `next` if the URL is on this site, else `otherwise`.

    The `#fragment` is cut off, so that the caller can add another.
    """
    target, _sign, _fragment = request.POST.get("next", "").partition("#")
    return target if _is_here(request, target) else otherwise


def next_page(request: HttpRequest, otherwise: str) -> str:
    """Return the URL in `next` if the URL is on this site, else `otherwise`.

    `next` may be in the form or in the query string. A `#fragment` is kept.
    """
    target = request.POST.get("next") or request.GET.get("next", "")
    return target if _is_here(request, target) else otherwise


def referring_page(request: HttpRequest, otherwise: str) -> str:
    """Return the URL in the `Referer` header if it is another page of this site.

    Otherwise return `otherwise`.
    """
    followed = request.headers.get("Referer", "")
    if not _is_here(request, followed):
        return otherwise
    address = urlsplit(followed)
    back = address._replace(scheme="", netloc="", fragment="").geturl()
    is_other = address.path != request.path and _is_here(request, back)
    return back if is_other else otherwise


def origin_or_footer(request: HttpRequest, otherwise: str) -> str:
    """Return the URL in the form's `next`, or the footer of the page whose footer has the form."""
    back = referring_page(request, otherwise)
    return origin(request, back) if "next" in request.POST else f"{back}{FOOTER}"


def _is_here(request: HttpRequest, address: str) -> bool:
    return url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())


def redirect_to_canonical(
    request: HttpRequest, address: str, *, permanent: bool = False
) -> HttpResponse:
    """Redirect to the usual URL of a page, with the same query string."""
    query = request.META.get("QUERY_STRING")
    return redirect(f"{address}?{query}" if query else address, permanent=permanent)


def redirect_303(address: str) -> HttpResponse:
    """Redirect with status 303, as after a successful POST."""
    return HttpResponseRedirect(address, status=303)
