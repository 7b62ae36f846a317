"""Translates errors that may come from anywhere into honest answers."""

from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from forum import refusals
from voting.errors import StoreUnavailable, UnknownTarget, VotingClosed


class ErrorsMiddleware:
    """Answers what voting and SQL refuse with a status and a sentence."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
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
        if isinstance(error, StoreUnavailable):
            return refusals.voting_rests(request)
        if isinstance(error, (OperationalError, InterfaceError)):
            return refusals.archive_rests(request)
        return None
