"""What every answer passes: errors become honest answers, and all carry the site's policy."""

from codecs import lookup
from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError
from django.utils.translation import gettext as _

from forum.config.data_directory import may_write
from forum.throttling.errors import Throttled
from forum.web import error_responses
from voting.errors import StoreUnavailable, UnknownTarget, VotingClosed

PIECE = 1 << 16
READ_PAST = 64 << 20
"""Bytes of a form that is too big which are read before it is refused."""


class ErrorsMiddleware:
    """Answers what can't be done, or not so, with a status and a sentence."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_readable(request):
            return error_responses.bad_request(request, _("That could not be understood."))
        try:
            if _is_too_big(request):
                _read_past(request)
                return error_responses.too_big(request)
            _read_form(request)
        except UnreadablePostError:
            return error_responses.unfinished(request)
        if request.method in error_responses.READING:
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
        """Return the answer to an error of a view, or None where it is a mistake of ours."""
        if isinstance(error, VotingClosed):
            return error_responses.closed(request, error)
        if isinstance(error, UnknownTarget):
            return error_responses.unknown_target(request, error)
        if isinstance(error, Throttled):
            return error_responses.throttled(request, error)
        if isinstance(error, StoreUnavailable):
            return error_responses.voting_rests(request, error)
        if isinstance(error, OperationalError):
            return error_responses.archive_rests(request, error)
        return None


def _is_readable(request: HttpRequest) -> bool:
    """Say whether what comes is in the encoding of our pages, as all that browsers send. Python has
    others that are no encodings of text, or make letters that SQL does not take.
    """
    return request.encoding is None or lookup(request.encoding).name == "utf-8"


def _is_too_big(request: HttpRequest) -> bool:
    """Say whether more comes than Django would read; asked before anybody tries to."""
    length, most = request.META.get("CONTENT_LENGTH") or "", settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return most is not None and length.isdecimal() and int(length) > most


def _read_form(request: HttpRequest) -> None:
    """Read what a form sends, which a browser may never finish, before anything is done with it."""
    request.POST  # noqa: B018 - looking is reading


def _read_past(request: HttpRequest) -> None:
    """Let a browser send what nobody keeps: one that is cut off shows an error of its own."""
    for _piece in range(READ_PAST // PIECE):
        if not request.read(PIECE):
            break


class PolicyMiddleware(CSPMiddleware):
    """django-csp for a site with one policy: built once in place of twice for every response."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self._policy = build_policy()

    def process_request(self, request: HttpRequest) -> None:
        """Offer no nonce: the site has no inline script."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Put the policy on every answer that has none."""
        response.headers.setdefault(HEADER, self._policy)
        return response
