"""Redirects from a form back to its page, and from unusual URLs to canonical ones."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def origin(request: HttpRequest, otherwise: str) -> str:
    """Return the page of this site in the form's `next`, else `otherwise`.

    The `#fragment` is cut off, so that the caller can add another.
    """
    target, _sign, _fragment = request.POST.get("next", "").partition("#")
    return target if _is_here(request, target) else otherwise


def next_page(request: HttpRequest, otherwise: str) -> str:
    """Return the page of this site that `next` names, with its `#fragment`, else `otherwise`.

    `next` may be in the form or in the query string.
    """
    target = request.POST.get("next") or request.GET.get("next", "")
    return target if _is_here(request, target) else otherwise


def referring_page(request: HttpRequest, otherwise: str) -> str:
    """Return the other page of this site that the person came from, else `otherwise`.

    The browser names it in `Referer`. It is used as the `next` of a form, which `origin` checks
    again.
    """
    followed = request.headers.get("Referer", "")
    if not _is_here(request, followed):
        return otherwise
    address = urlsplit(followed)
    back = address._replace(scheme="", netloc="", fragment="").geturl()
    return otherwise if address.path == request.path else back


def _is_here(request: HttpRequest, address: str) -> bool:
    return url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())


def redirect_to_canonical(
    request: HttpRequest, address: str, *, permanent: bool = False
) -> HttpResponse:
    """Redirect to the usual URL of a page, keeping the query string."""
    query = request.META.get("QUERY_STRING")
    return redirect(f"{address}?{query}" if query else address, permanent=permanent)


def redirect_303(address: str) -> HttpResponse:
    """Redirect with status 303 after a successful POST."""
    return HttpResponseRedirect(address, status=303)
