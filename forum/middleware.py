"""What every answer passes: errors become honest answers, and all carry the site's policy."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.translation import activate, get_language, get_language_from_request
from django_permissions_policy import PermissionsPolicyMiddleware

from forum.pages import refusals
from voting.errors import StoreUnavailable, TooFast, UnknownTarget, VotingClosed

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class ErrorsMiddleware:
    """Answers what voting and SQL refuse with a status and a sentence."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code == 405 and not getattr(response, "content", b"-"):
            return refusals.wrong_method(request, response["Allow"])
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the answer to an error of a view, or None where it is a mistake of ours."""
        if isinstance(error, VotingClosed):
            return refusals.closed(request, error)
        if isinstance(error, UnknownTarget):
            return refusals.unknown_target(request)
        if isinstance(error, TooFast):
            return refusals.too_fast(request, error)
        if isinstance(error, StoreUnavailable):
            return refusals.voting_rests(request)
        if isinstance(error, (OperationalError, InterfaceError)):
            return refusals.archive_rests(request, error)
        return None


def policies(get_response: GetResponse) -> GetResponse:
    """Middleware: put the site's policies on every answer that has none of its own.

    They are the same for all answers, so they are built once in place of at every response.
    """
    permissions = PermissionsPolicyMiddleware(get_response).permissions_policy
    stated = {HEADER: build_policy(), "Permissions-Policy": permissions}

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, policy in stated.items():
            response.headers.setdefault(name, policy)
        return response

    return middleware


def speaking(get_response: GetResponse) -> GetResponse:
    """Middleware: answer in the language that the reader's browser asks for.

    Django's own looks for a language in the address too, before and after; here is none in any.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        activate(get_language_from_request(request))
        request.LANGUAGE_CODE = language = get_language()
        response = get_response(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", language)
        return response

    return middleware
