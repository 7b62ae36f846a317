"""Listings and threads for guests, remembered for a second: on a busy site many readers ask for the
same page.

A page is kept as it leaves the site, headers and all, and given again before anything else looks at
the request; who opens a thread is counted all the same. What is written through this process shows
at once (where replicas answer guests, as soon as they have it); what another process wrote, within
the second. Members see the present, with their own votes, always.
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
from django.utils.translation import get_language_from_request

from forum.pages import packing
from forum.pages.refusals import READING
from forum.store import voting
from forum.visiting.viewers import viewer
from forum.visiting.visitors import guest
from voting.errors import StoreUnavailable

REMEMBERED = 256
"""Pages kept in this process; about 8 kB each."""
ROOM = 32 << 20
"""Bytes that they may have together: a thread of long comments has millions, and as many addresses
as somebody makes up.
"""
HARMLESS = READING | {"OPTIONS"}
MESSAGES = "messages"
"""The cookie of what somebody is yet to be told."""

GetResponse = Callable[[HttpRequest], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A page, until when it may be given, and what it is counted as."""

    content: bytes
    headers: dict[str, str]
    until: float
    match: ResolverMatch | None
    post_id: int | None
    """The post whose thread it is."""


class _Memory:
    """Pages by all that makes them differ; threads may share it."""

    def __init__(self) -> None:
        self._pages: dict[Hashable, _Kept] = {}
        self._writes = 0
        self._lock = Lock()

    def find(self, key: Hashable) -> _Kept | None:
        """Return a page that is young enough, or None."""
        kept = self._pages.get(key)
        return kept if kept is not None and monotonic() < kept.until else None

    def make(self, key: Hashable, request: HttpRequest, make: GetResponse) -> HttpResponseBase:
        """Make a page and keep it if it is for guests and nothing was written meanwhile."""
        until, writes = monotonic() + settings.GUEST_PAGE_SECONDS, self._writes
        page = make(request)
        if isinstance(page, HttpResponse) and _is_for_guests(page):
            kept = _Kept(
                page.content,
                dict(page.items()),
                until,
                request.resolver_match,
                page.for_guests,  # type: ignore[attr-defined]
            )
            with self._lock:
                if len(self._pages) >= REMEMBERED or self._size() + len(kept.content) > ROOM:
                    self._pages.clear()
                if writes == self._writes:
                    self._pages[key] = kept
        return page

    def _size(self) -> int:
        return sum(len(kept.content) for kept in self._pages.values())

    def forget(self) -> None:
        """Keep nothing that was made before now."""
        with self._lock:
            self._writes += 1
            self._pages.clear()


_memory = _Memory()


def remembered(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let what guests see be remembered; `view` shows a listing, or the thread of `post_id`."""

    @wraps(view)
    def seen(request: HttpRequest, *args: str, **kwargs: Any) -> HttpResponse:
        page = view(request, *args, **kwargs)
        if viewer(request) is None:
            page.for_guests = kwargs.get("post_id")  # type: ignore[attr-defined]
        return page

    return seen


def changes_no_page(response: HttpResponse) -> HttpResponse:
    """Mark the answer to a POST that changed nothing a guest's page need show at once."""
    response.changes_no_page = True  # type: ignore[attr-defined]
    return response


def remembering(get_response: GetResponse) -> GetResponse:
    """Middleware: answer guests from memory; after every request that may have written, forget."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method in READING and _is_by_a_guest(request):
            key = _key(request)
            kept = _memory.find(key)
            if kept is None:
                return _memory.make(key, request, get_response)
            request.resolver_match = kept.match
            _count(kept, request)
            return HttpResponse(kept.content, headers=kept.headers)
        response = get_response(request)
        if request.method not in HARMLESS and not hasattr(response, "changes_no_page"):
            _memory.forget()
        return response

    return middleware


def _count(kept: _Kept, request: HttpRequest) -> None:
    """Count the view of a thread, where voting is there to count it. One round trip for those."""
    if kept.post_id is not None and (visitor := guest(request)):
        with suppress(StoreUnavailable):
            voting().counters.view(kept.post_id, visitor)


def _is_by_a_guest(request: HttpRequest) -> bool:
    """Say whether nothing of what comes along could make the page another."""
    cookies = request.COOKIES
    return not cookies or (settings.SESSION_COOKIE_NAME not in cookies and MESSAGES not in cookies)


def _is_for_guests(page: HttpResponse) -> bool:
    return page.status_code == 200 and hasattr(page, "for_guests") and not page.cookies


def _key(request: HttpRequest) -> Hashable:
    """Return what guests' pages differ by. A host is here because a wrong one gets no page."""
    return (
        request.path_info,
        request.META.get("QUERY_STRING"),
        request.META.get("HTTP_HOST"),
        request.scheme,
        get_language_from_request(request),
        packing.is_taken(request),
    )
