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
    hosts = {request.get_host()}
    if wanted and url_has_allowed_host_and_scheme(wanted, hosts, request.is_secure()):
        return wanted
    return otherwise


def came_from(request: HttpRequest, otherwise: str) -> str:
    """Return the page whose link was followed here if it is one of this site, else `otherwise`."""
    address = urlsplit(request.headers.get("Referer", ""))
    here = address.netloc == request.get_host() and address.path != request.path
    return address._replace(scheme="", netloc="", fragment="").geturl() if here else otherwise


def usual(request: HttpRequest, address: str, *, permanent: bool = False) -> HttpResponse:
    """Lead to the usual address of what was asked for in another way; the query comes along."""
    query = request.META.get("QUERY_STRING")
    return redirect(f"{address}?{query}" if query else address, permanent=permanent)


def see(address: str) -> HttpResponse:
    """Answer 303: what was sent is done, and this is to be looked at now."""
    return HttpResponseRedirect(address, status=303)
