"""Middleware: turns domain errors into responses, and adds the Content-Security-Policy."""

from codecs import lookup
from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError
from django.utils.translation import gettext as _

from forum.config.data_directory import may_write
from forum.web import error_responses
from forum.web.methods import READING

PIECE = 1 << 16
READ_PAST = 64 << 20
"""The most bytes of a form that are read and dropped before it is refused as too big."""


class ErrorsMiddleware:
    """Answers requests that can't be handled with a status and a sentence."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_readable(request):
            return error_responses.bad_request(request, _("The request could not be understood."))
        try:
            if _is_too_large(request):
                _read_past(request)
                return error_responses.too_large(request)
            _read_form(request)
        except UnreadablePostError:
            return error_responses.incomplete(request)
        if request.method in READING:
            response = self.get_response(request)
        else:
            with may_write(settings.FORUM_DATA) as allowed:
                if not allowed:
                    return error_responses.read_only(request)
                response = self.get_response(request)
        if response.status_code == 405 and not getattr(response, "content", b"-"):
            return error_responses.wrong_method(request, response["Allow"])
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the response to an error of a view; None for a bug, which becomes a 500."""
        return error_responses.respond(request, error)


def _is_readable(request: HttpRequest) -> bool:
    """Return whether a request is in UTF-8, as all requests of browsers are. Some Python codecs
    aren't text encodings, or yield characters that SQL rejects.
    """
    return request.encoding is None or lookup(request.encoding).name == "utf-8"


def _is_too_large(request: HttpRequest) -> bool:
    """Return whether the body is longer than Django accepts, before anything reads it."""
    length, most = request.META.get("CONTENT_LENGTH") or "", settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return most is not None and length.isdecimal() and int(length) > most


def _read_form(request: HttpRequest) -> None:
    """Read a form before the view acts on it: the browser may stop in the middle of it."""
    request.POST  # noqa: B018 - reads the body


def _read_past(request: HttpRequest) -> None:
    """Read and drop a body. A browser that is cut off would show its own error, not ours."""
    for _piece in range(READ_PAST // PIECE):
        if not request.read(PIECE):
            break


class PolicyMiddleware(CSPMiddleware):
    """django-csp with a policy that is built once: 6 µs per response in place of 34 µs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self._policy = build_policy()

    def process_request(self, request: HttpRequest) -> None:
        """Add no nonce: the site has no inline scripts."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the policy to a response that has none."""
        response.headers.setdefault(HEADER, self._policy)
        return response
