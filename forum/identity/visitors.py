"""Who opens a thread, as far as counting views needs to know.

A member is known by id. A guest is a hash of address and browser, of which an address has only a
few: what a browser calls itself is anybody's to choose, and views make a ranking. It is made with a
salt that is different every UTC day and for every site: it can't be turned back, nor can one day's
visitors be found again in another's. Nothing of it is stored but what a HyperLogLog keeps, from
which nobody can be read out, and that for two days.
"""

from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import sha256
from hmac import digest

from django.conf import settings
from django.http import HttpRequest

from forum.gateway.service import get_voting_service
from forum.identity.network import client_network
from forum.identity.viewers import viewer

SHORT = 12
"""Bytes of a hash that are used: two guests of a day never share them."""
BROWSERS = 8
"""Guests that one address has at the most: who shares one counts, whoever invents some does not."""
AHEAD = "prefetch"
"""What a browser says that loads a page before anybody asked for it."""


def visitor(request: HttpRequest) -> str:
    """Return who views, or "" where nobody does: a HEAD or a page loaded ahead. No round trip."""
    return clicker(request) if views(request) else ""


def clicker(request: HttpRequest) -> str:
    """Return who clicked a link, which a POST reports, or "" for a prefetch. No round trip."""
    if _is_ahead(request):
        return ""
    person = viewer(request)
    return f"u{person.id}" if person else _guest(request)


def guest(request: HttpRequest) -> str:
    """Return who views where that is known to be a guest, as `visitor` does. No round trip."""
    return _guest(request) if views(request) else ""


def views(request: HttpRequest) -> bool:
    """Say whether somebody looks at the page that is asked for. No round trip."""
    return request.method == "GET" and not _is_ahead(request)


def _is_ahead(request: HttpRequest) -> bool:
    """Return whether a browser loads this before anybody asked for it."""
    purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
    return AHEAD in purpose


def _guest(request: HttpRequest) -> str:
    name = request.headers.get("User-Agent", "")
    browser = sha256(name.encode()).digest()[0] % BROWSERS
    seen = f"{client_network(request)}\n{browser}"
    salt = _salt(settings.SECRET_KEY, get_voting_service().activity.today().isoformat())
    return "g" + urlsafe_b64encode(digest(salt, seen.encode(), sha256)[:SHORT]).decode()


@lru_cache(maxsize=2)
def _salt(secret: str, day: str) -> bytes:
    """Return the salt of a day."""
    return digest(secret.encode(), f"visitors of {day}".encode(), sha256)
