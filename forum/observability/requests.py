"""Every request: an id that its log lines and its answer carry, its time, and a line if it is
worth one. The first middleware, so that it sees all that the others do.
"""

import re
from collections.abc import Callable
from secrets import token_hex
from time import perf_counter

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from forum.observability import metrics, paths, request_ids

HEADER = "X-Request-ID"
GIVEN = "HTTP_X_REQUEST_ID"
SANE = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
"""What is taken over from who asks; anything else might mean something to what reads the log."""
SLOW = 1.0
"""Seconds from which an answer is worth a line."""

GetResponse = Callable[[HttpRequest], HttpResponseBase]

log = structlog.get_logger()


def observed(get_response: GetResponse) -> GetResponse:
    """Middleware: give a request its id, measure it, and tell of it where it failed or was slow."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        began = perf_counter()
        request_id = _id_for(request)
        request_ids.begin(request_id)
        response = get_response(request)
        response.headers[HEADER] = request_id
        if request.method == "HEAD" and isinstance(response, HttpResponse):
            response.content = b""  # its length stays; the server would drop it with a warning
        view, seconds = _view(request), perf_counter() - began
        metrics.request(view, response.status_code, seconds)
        if response.status_code >= 500 or seconds >= SLOW or settings.LOG_REQUESTS:
            _tell(request, response.status_code, view, seconds)
        return response

    return middleware


def _id_for(request: HttpRequest) -> str:
    given = request.META.get(GIVEN)
    return given if given and SANE(given) else token_hex(8)


def _view(request: HttpRequest) -> str:
    """Return the name of what answered; of addresses that lead nowhere, one for all."""
    match = request.resolver_match
    if match is not None:
        return match.view_name or "unnamed"
    return "static" if request.path_info.startswith(settings.STATIC_URL) else "none"


def _tell(request: HttpRequest, status: int, view: str, seconds: float) -> None:
    """Write the request's line. The query string stays out: it may hold what is nobody's affair."""
    tell = log.error if status >= 500 else log.warning if seconds >= SLOW else log.info
    tell(
        "request",
        method=request.method,
        path=paths.told(request),
        view=view,
        status=status,
        ms=round(seconds * 1_000, 1),
    )
