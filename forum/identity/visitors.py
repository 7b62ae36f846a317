"""Identifies the visitors of threads, for counting views.

Members are identified by their ids, guests by a hash of network and browser. Only a few guests
count for each network, because anybody can send any User-Agent, and views influence a ranking. The
salt of the hash differs for every site and UTC day. So the hash can't be reversed, and the visitors
of two days can't be matched. The hash is stored only in a HyperLogLog, from which no visitor can be
read, and only for two days.
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
"""The number of bytes of a hash that are used: enough that no two guests of a day share a hash."""
BROWSERS = 8
"""The most guests that count for one network. Several guests may share a network, but one guest may
also pretend to be several.
"""
PREFETCH = "prefetch"
"""The header value with which browsers request a page before anybody opens the page."""


def visitor(request: HttpRequest) -> str:
    """Return the visitor's id for a request; "" for a HEAD request or a prefetch. No round trip."""
    return clicker(request) if views(request) else ""


def clicker(request: HttpRequest) -> str:
    """Return the id of the visitor who clicked a link (POST); "" for a prefetch. No round trip."""
    if _is_prefetch(request):
        return ""
    person = viewer(request)
    return f"u{person.id}" if person else _guest(request)


def guest(request: HttpRequest) -> str:
    """Return the same id as `visitor`, for a request known to be a guest's. No round trip."""
    return _guest(request) if views(request) else ""


def views(request: HttpRequest) -> bool:
    """Return whether a request shows somebody the page: a GET, but no prefetch. No round trip."""
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
