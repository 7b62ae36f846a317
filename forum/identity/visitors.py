"""Identifies the visitors of threads, for counting views.

Members are identified by their ids, guests by a hash of network and browser. At most a few guests
are counted for each network, because anybody can pretend to be several browsers. The salt of the
hash differs for every site and UTC day. So nobody can reverse the hash, or match the visitors of
two days. The hash is stored only in a HyperLogLog, from which no visitor can be read, and only for
two days.
"""

from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import sha256
from hmac import digest

from django.conf import settings
from django.http import HttpRequest

from forum.identity.network import client_network
from forum.identity.viewers import viewer
from forum.store.service import get_voting_service

SHORT = 12
"""The number of bytes of a hash that are used: enough that hashes are never equal by chance."""
BROWSERS = 8
"""The most guests that count for one network. One guest may pretend to be several."""
PREFETCH = "prefetch"
"""The header value in requests with which browsers load a page before anybody opens the page."""


def visitor(request: HttpRequest) -> str:
    """Return the id of the visitor who opens a page.

    Return "" if the request is not a GET, or is a prefetch.
    """
    return clicker(request) if views(request) else ""


def clicker(request: HttpRequest) -> str:
    """Return the id of a visitor who clicked a link (POST).

    Returns "" if the browser prefetches the link, since then nobody has clicked it.
    """
    if _is_prefetch(request):
        return ""
    person = viewer(request)
    return f"u{person.id}" if person else _guest(request)


def guest(request: HttpRequest) -> str:
    """Return the id of the guest who opens a page.

    Return "" if the request is not a GET, or is a prefetch.
    """
    return _guest(request) if views(request) else ""


def views(request: HttpRequest) -> bool:
    """Return whether a request counts as a view of a page: a GET that isn't a prefetch."""
    return request.method == "GET" and not _is_prefetch(request)


def _is_prefetch(request: HttpRequest) -> bool:
    purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
    return PREFETCH in purpose


def _guest(request: HttpRequest) -> str:
    name = request.headers.get("User-Agent", "")
    browser = sha256(name.encode()).digest()[0] % BROWSERS
    seen = f"{client_network(request)}\n{browser}"
    salt = _salt(settings.SECRET_KEY, get_voting_service().activity.today().isoformat())
    return "g" + urlsafe_b64encode(digest(salt, seen.encode(), sha256)[:SHORT]).decode()


@lru_cache(maxsize=2)
def _salt(secret: str, day: str) -> bytes:
    return digest(secret.encode(), f"visitors of {day}".encode(), sha256)
