"""The first middleware: gives each request an id, measures it, logs failed and slow requests."""

import re
from collections.abc import Callable
from secrets import token_hex
from time import perf_counter

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from forum.config import metrics, request_ids
from forum.config.logs import loggable_path

HEADER = "X-Request-ID"
VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Matches request ids that a proxy may set.

Other characters could confuse programs that read logs.
"""
SLOW = 1.0
"""A request that takes at least this many seconds is logged."""

GetResponse = Callable[[HttpRequest], HttpResponseBase]

log = structlog.get_logger()


def observed(get_response: GetResponse) -> GetResponse:
    """Middleware: give each request an id, measure it, and log failed and slow requests."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        began = perf_counter()
        request_id = _id_for(request)
        request_ids.begin(request_id)
        response = get_response(request)
        response.headers[HEADER] = request_id
        if request.method == "HEAD" and isinstance(response, HttpResponse):
            response.content = b""  # gunicorn warns about a body; Content-Length stays
        view, seconds = _view(request), perf_counter() - began
        metrics.request(view, response.status_code, seconds)
        if response.status_code >= 500 or seconds >= SLOW or settings.LOG_REQUESTS:
            _log(request, response.status_code, view, seconds)
        return response

    return middleware


def _id_for(request: HttpRequest) -> str:
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    return given if VALID_ID.fullmatch(given) else token_hex(8)


def _view(request: HttpRequest) -> str:
    """Return the name of the request's view; "none" if no view matches the path."""
    match = request.resolver_match
    if match is not None:
        return match.view_name or "unnamed"
    return "static" if request.path_info.startswith(settings.STATIC_URL) else "none"


def _log(request: HttpRequest, status: int, view: str, seconds: float) -> None:
    """Log a request, without the query string, which may contain a person's search."""
    write = log.error if status >= 500 else log.warning if seconds >= SLOW else log.info
    write(
        "request",
        method=request.method,
        path=loggable_path(request),
        view=view,
        status=status,
        ms=round(seconds * 1_000, 1),
    )
