"""Where answers lead: a form back to the page it was on, an odd address to the usual one."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def origin(request: HttpRequest, otherwise: str) -> str:
    """Return the page that the form's `next` names if it is one of this site, else `otherwise`.

    Without a fragment, so that a caller may add one.
    """
    wanted, _sign, _fragment = request.POST.get("next", "").partition("#")
    return wanted if _is_here(request, wanted) else otherwise


def onward(request: HttpRequest, otherwise: str) -> str:
    """Return the page of this site that the address's or form's `next` names, else `otherwise`.

    With its fragment: it says where on that page.
    """
    wanted = request.POST.get("next") or request.GET.get("next", "")
    return wanted if _is_here(request, wanted) else otherwise


def came_from(request: HttpRequest, otherwise: str) -> str:
    """Return the page whose link was followed here if it is another of this site, else `otherwise`.

    For a form's `next`, which `origin` looks at again.
    """
    followed = request.headers.get("Referer", "")
    if not _is_here(request, followed):
        return otherwise
    address = urlsplit(followed)
    back = address._replace(scheme="", netloc="", fragment="").geturl()
    return otherwise if address.path == request.path else back


def _is_here(request: HttpRequest, address: str) -> bool:
    return url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure())


def usual(request: HttpRequest, address: str, *, permanent: bool = False) -> HttpResponse:
    """Lead to the usual address of what was asked for in another way; the query comes along."""
    query = request.META.get("QUERY_STRING")
    return redirect(f"{address}?{query}" if query else address, permanent=permanent)


def see(address: str) -> HttpResponse:
    """Answer 303: what was sent is done, and this is to be looked at now."""
    return HttpResponseRedirect(address, status=303)
