"""Redirects: back to the page of a form, on to a page that a URL names, to the canonical URL."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def origin(request: HttpRequest, otherwise: str) -> str:
    """Return the page that a form was on, from its `next`; `otherwise` if that is not on this site.

    Without its fragment, so that the caller can add one.
    """
    wanted, _sign, _fragment = request.POST.get("next", "").partition("#")
    return wanted if _is_here(request, wanted) else otherwise


def onward(request: HttpRequest, otherwise: str) -> str:
    """Return the page to go on to, from `next` in form or URL; `otherwise` if not on this site.

    With its fragment, which says where on that page.
    """
    wanted = request.POST.get("next") or request.GET.get("next", "")
    return wanted if _is_here(request, wanted) else otherwise


def came_from(request: HttpRequest, otherwise: str) -> str:
    """Return the page of this site whose link led here, for a form's `next`; else `otherwise`."""
    followed = request.headers.get("Referer", "")
    if not _is_here(request, followed):
        return otherwise
    address = urlsplit(followed)
    back = address._replace(scheme="", netloc="", fragment="").geturl()
    return otherwise if address.path == request.path else back


def _is_here(request: HttpRequest, address: str) -> bool:
    return url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())


def usual(request: HttpRequest, address: str, *, permanent: bool = False) -> HttpResponse:
    """Redirect to the canonical URL of a page, with the present query."""
    query = request.META.get("QUERY_STRING")
    return redirect(f"{address}?{query}" if query else address, permanent=permanent)


def see(address: str) -> HttpResponse:
    """Redirect (303) after a successful POST."""
    return HttpResponseRedirect(address, status=303)
