"""Caches whole pages for guests for one second, since many guests request the same page.

A cached page skips almost all other middleware. Members never get a cached page. Any write in this
process empties the cache; writes in other processes appear within a second.
"""

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from threading import Lock
from time import monotonic
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import ResolverMatch
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language_from_request

from forum.identity.viewers import viewer
from forum.identity.visitors import guest
from forum.store.service import get_voting_service
from forum.web import caches, compression, display, message_storage
from forum.web.methods import READING
from voting.errors import StoreUnavailable

MOST_BYTES = 32 << 20
"""Maximum size of all cached pages together, in bytes.

A long thread has millions of bytes, and anybody can request it with many different URLs.
"""
WRITES_NOTHING = READING | {"OPTIONS"}

GetResponse = Callable[[HttpRequest], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class _CachedPage:
    content: bytes
    headers: dict[str, str]
    expires_at: float
    """When the page expires, by the monotonic clock."""
    match: ResolverMatch | None
    post_id: int | None
    """Id of the post whose views are counted; None if the page is not a thread."""


class _PageCache:
    """Maps cache keys to cached pages. Thread-safe."""

    def __init__(self) -> None:
        self._pages: dict[Hashable, _CachedPage] = {}
        self._writes = 0
        self._lock = Lock()

    def find(self, key: Hashable) -> _CachedPage | None:
        page = self._pages.get(key)
        return page if page is not None and monotonic() < page.expires_at else None

    def make(self, key: Hashable, request: HttpRequest, make: GetResponse) -> HttpResponseBase:
        """Make the page for a request, and cache the page if it is for guests.

        If something was written while the page was made, the page is not cached.
        """
        expires_at, writes = monotonic() + settings.GUEST_PAGE_SECONDS, self._writes
        page = make(request)
        if isinstance(page, HttpResponse) and _is_for_guests(page):
            cached = _CachedPage(
                page.content,
                dict(page.items()),
                expires_at,
                request.resolver_match,
                page.for_guests,  # type: ignore[attr-defined]
            )
            with self._lock:
                if self._is_full(len(cached.content)):
                    self._pages.clear()
                if writes == self._writes:
                    self._pages[key] = cached
        return page

    def _is_full(self, more: int) -> bool:
        size = sum(len(page.content) for page in self._pages.values())
        return len(self._pages) >= caches.GUEST_PAGES.entries or size + more > MOST_BYTES

    def clear(self) -> None:
        """Empty the cache. Pages that other threads are making at this moment won't be cached."""
        with self._lock:
            self._writes += 1
            self._pages.clear()


_cache = _PageCache()


def cached_for_guests(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view: cache its pages for guests."""

    @wraps(view)
    def marked(request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        page = view(request, *args, **kwargs)
        if viewer(request) is None:
            page.for_guests = kwargs.get("post_id")  # type: ignore[attr-defined]
        return page

    return marked


def cache_for_everybody(page: HttpResponse) -> HttpResponse:
    """Cache a page that is the same for everybody, such as a feed. Guests get the cached page."""
    page.for_guests = None  # type: ignore[attr-defined]
    return page


def changes_no_page(response: HttpResponse) -> HttpResponse:
    """Mark the response to a POST request so that cached pages of guests stay in the cache.

    Call it if the request didn't change any page that guests see.
    """
    response.changes_no_page = True  # type: ignore[attr-defined]
    return response


def guest_page_middleware(get_response: GetResponse) -> GetResponse:
    """Answer guests from the cache, and empty the cache after requests that may change data."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method in READING and _is_by_a_guest(request):
            key = _key(request)
            cached = _cache.find(key)
            if cached is None:
                return _cache.make(key, request, get_response)
            request.resolver_match = cached.match
            _count_view(cached, request)
            return _unless_known(request, HttpResponse(cached.content, headers=cached.headers))
        response = get_response(request)
        if request.method not in WRITES_NOTHING and not hasattr(response, "changes_no_page"):
            _cache.clear()
        return response

    return middleware


def _unless_known(request: HttpRequest, page: HttpResponse) -> HttpResponseBase:
    """Return a cached page, or a 304 without content if the client has the same version."""
    if "ETag" not in page:
        return page
    return get_conditional_response(request, page["ETag"], response=page) or page


def _count_view(page: _CachedPage, request: HttpRequest) -> None:
    """Count a view of a cached thread, if Redis is available."""
    if page.post_id is not None and (visitor := guest(request)):
        with suppress(StoreUnavailable):
            get_voting_service().views.count(page.post_id, visitor)


def _is_by_a_guest(request: HttpRequest) -> bool:
    """Return whether a request has no Authorization header, and no cookie that affects the page."""
    cookies = request.COOKIES
    if "HTTP_AUTHORIZATION" in request.META:
        return False
    return not cookies or (
        settings.SESSION_COOKIE_NAME not in cookies and message_storage.COOKIE not in cookies
    )


def _is_for_guests(page: HttpResponse) -> bool:
    return page.status_code == 200 and hasattr(page, "for_guests") and not page.cookies


def _key(request: HttpRequest) -> Hashable:
    """Return the cache key: all parts of the request that a guest's page depends on.

    The key includes the host, so that a request with a wrong host never gets a cached page.
    """
    return (
        request.path_info,
        request.META.get("QUERY_STRING"),
        request.META.get("HTTP_HOST"),
        request.scheme,
        get_language_from_request(request),
        display.display_of(request),
        compression.accepts_gzip(request),
    )
