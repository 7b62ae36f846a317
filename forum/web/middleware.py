"""Middleware: turns domain errors into responses, and adds the Content-Security-Policy."""

from codecs import lookup
from collections.abc import Callable
from typing import Any

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError
from django.utils.translation import gettext as _

from forum.errors import ReadOnly
from forum.web import error_responses
from forum.web.methods import require_writable
from forum.web.programs import is_for_programs

PIECE = 1 << 16
READ_PAST = 64 << 20
"""Maximum number of bytes to read from a request that is too large, before it is refused."""


class ErrorsMiddleware:
    """Answers failed requests with a status and a sentence."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_readable(request):
            return error_responses.bad_request(request, _("The request could not be understood."))
        if is_for_programs(request) and request.content_type == "multipart/form-data":
            return error_responses.no_json(request)
        try:
            if _is_too_large(request):
                _read_past(request)
                return error_responses.too_large(request)
            _read_form(request)
        except UnreadablePostError:
            return error_responses.incomplete(request)
        response = self.get_response(request)
        empty = not getattr(response, "content", b"-")
        if response.status_code == 405 and (empty or is_for_programs(request)):
            return error_responses.wrong_method(request, response["Allow"])
        return response

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Refuse writes while the site is read-only. The API does this itself, in JSON."""
        if request.resolver_match and request.resolver_match.namespace == "api":
            return None
        try:
            require_writable(request)
        except ReadOnly as error:
            return error_responses.respond(request, error)
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the response to an error that a view raised; None for a bug (500)."""
        return error_responses.respond(request, error)


def _is_readable(request: HttpRequest) -> bool:
    """Return whether a request's text is in UTF-8. Browsers always send UTF-8.

    Text in other encodings may contain characters that SQL rejects.
    """
    return request.encoding is None or lookup(request.encoding).name == "utf-8"


def _is_too_large(request: HttpRequest) -> bool:
    """Return whether the Content-Length header gives a longer body than Django accepts."""
    length, most = request.META.get("CONTENT_LENGTH") or "", settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return most is not None and length.isdecimal() and int(length) > most


def _read_form(request: HttpRequest) -> None:
    """Read the whole form now, so that a lost connection is noticed before the view runs."""
    request.POST  # noqa: B018 - reads the body


def _read_past(request: HttpRequest) -> None:
    """Read and drop a request body that is too large, so that the browser shows our error 413.

    If the server responded without reading the body, the connection would be reset, and the browser
    would show an error of its own.
    """
    for _piece in range(READ_PAST // PIECE):
        if not request.read(PIECE):
            break


class PolicyMiddleware(CSPMiddleware):
    """django-csp's middleware, but the policy is built only once: 6 µs per response, not 34 µs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self._policy = build_policy()

    def process_request(self, request: HttpRequest) -> None:
        """Do nothing: the site has no inline scripts, so it needs no nonce."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the Content-Security-Policy to a response that has none."""
        response.headers.setdefault(HEADER, self._policy)
        return response
