"""Responds to requests for feeds. If the client has the same version, answers 304 without XML."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.utils.translation import activate, get_language, get_language_from_request

from forum import __version__
from forum.feeds import atom
from forum.feeds.documents import Feed
from forum.web.guest_pages import cache_for_everybody
from forum.web.methods import require_safe

SECONDS = 60
"""For how many seconds clients and proxies may show a public feed without asking again."""


def public(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate the view of a public feed, so that it ignores cookies.

    The feed is then the same for everybody, and proxies can cache it. Like pages for guests, it is
    also cached on the server for a second.
    """

    @require_safe
    @wraps(view)
    def feed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        request.COOKIES = {}
        activate(get_language_from_request(request))
        response = view(request, *args, **kwargs)
        return cache_for_everybody(response)

    return feed


def respond(request: HttpRequest, feed: Feed) -> HttpResponse:
    """Return a public feed, or a 304 without content if the client has it."""
    return _respond(request, feed, f"public, max-age={SECONDS}")


def respond_privately(request: HttpRequest, feed: Feed) -> HttpResponse:
    """Return a private feed, or a 304 without content if the client has the newest version.

    Only the client may cache the feed, and it must ask the site before each use of its copy.
    """
    response = _respond(request, feed, "private, no-cache")
    response["X-Robots-Tag"] = "noindex"
    return response


def _respond(request: HttpRequest, feed: Feed, cache_control: str) -> HttpResponse:
    site, language = f"{request.scheme}://{request.get_host()}", get_language()
    version = feed.digest(__version__, settings.SITE_URL, site, str(language))
    updated = int(feed.updated.timestamp())
    response = HttpResponse(content_type=atom.CONTENT_TYPE)
    response["Cache-Control"] = cache_control
    response["ETag"] = f'W/"{version}"'
    response["Last-Modified"] = http_date(updated)
    response["Content-Language"] = language or settings.LANGUAGE_CODE
    comparable = None if feed.is_ranked else updated
    known = get_conditional_response(request, response["ETag"], comparable, response)
    if isinstance(known, HttpResponse) and known is not response:
        return known
    response.content = atom.write(feed, site=site, language=language)
    return response
