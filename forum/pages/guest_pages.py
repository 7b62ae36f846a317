"""Listings for guests, remembered for a second: on a busy site many readers ask for the same page.

What is written through this process shows at once; what another process wrote, within the second.
Members always see the present, with their own votes.
"""

from collections.abc import Callable
from functools import wraps
from time import monotonic

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import get_language

from forum.visiting.viewers import viewer

REMEMBERED = 256
"""Pages kept in this process; about 8 kB each."""
READING = frozenset({"GET", "HEAD", "OPTIONS"})

Key = tuple[str, str | None, bool]


class _Memory:
    """Pages by address, language and whether they are compressed; threads may share it."""

    def __init__(self) -> None:
        self._pages: dict[Key, tuple[float, bytes, dict[str, str]]] = {}
        self._writes = 0

    def find(self, key: Key) -> HttpResponse | None:
        """Return a page that is young enough, or None."""
        kept = self._pages.get(key)
        if kept is None or monotonic() >= kept[0]:
            return None
        return HttpResponse(kept[1], headers=kept[2])

    def make(self, key: Key, make: Callable[[], HttpResponse]) -> HttpResponse:
        """Make a page and keep it, unless something was written meanwhile."""
        until, writes = monotonic() + settings.GUEST_PAGE_SECONDS, self._writes
        page = make()
        if page.status_code == 200 and writes == self._writes:
            if len(self._pages) >= REMEMBERED:
                self._pages.clear()
            self._pages[key] = until, page.content, dict(page.items())
        return page

    def forget(self) -> None:
        """Keep nothing that was made before now."""
        self._writes += 1
        self._pages.clear()


_memory = _Memory()


def remembered(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer guests from memory where it has the page; `view` shows nothing but a listing."""

    @wraps(view)
    def seen(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
        if "messages" in request.COOKIES or viewer(request) is not None:
            return view(request, *args, **kwargs)
        packed = "gzip" in request.headers.get("Accept-Encoding", "")
        key = request.get_full_path(), get_language(), packed
        return _memory.find(key) or _memory.make(key, lambda: view(request, *args, **kwargs))

    return seen


def forgetting(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: after every request that may have written, begin anew."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.method not in READING:
            _memory.forget()
        return response

    return middleware
