"""Common features of all API responses: no cookies, open CORS, ETags, RFC 9457 for errors."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import activate, get_language_from_request
from django.utils.translation import gettext as _
from ninja.errors import AuthenticationError, HttpError, ValidationError

from forum.actions.names import full_name
from forum.api import conditions, faults
from forum.api.auth import ACTION, identify, requester
from forum.api.serializers import absolute
from forum.errors import AlreadyDecided, AlreadySent, Duplicate, Forbidden, ReadOnly
from forum.identity.throttle import throttle
from forum.identity.viewers import viewer
from forum.web import error_responses
from forum.web.guest_pages import cache_for_everybody
from forum.web.methods import READING, require_writable
from forum.web.problems import Problem, problem_of
from voting.errors import Throttled

NAMES = {"url": "link", "body": "text", "place": "group"}
"""The API's names of the fields whose names in forms differ."""


class FormInvalid(Exception):
    """A form of the site's pages rejects the data that a program sent."""

    def __init__(self, form: BaseForm) -> None:
        faults = (
            f"{NAMES.get(name, name)}: {sentence}" if name != NON_FIELD_ERRORS else str(sentence)
            for name, sentences in form.errors.items()
            for sentence in sentences
        )
        super().__init__("; ".join(faults))


def for_programs(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate an operation: ignore cookies, apply the rate limit, and answer 304 if possible.

    Messages are in the language of the Accept-Language header.
    """

    @wraps(view)
    def operation(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        activate(get_language_from_request(request))
        try:
            identify(request)
            throttle(requester(request), ACTION)
            require_writable(request)
            faults.refuse_unstorable(request)
            if request.token is not None:  # type: ignore[attr-defined]
                conditions.check(request, kwargs)
        except (AuthenticationError, Forbidden, HttpError, Throttled, ReadOnly) as error:
            return respond_to_error(request, error)
        response = _with_headers(request, view(request, *args, **kwargs))
        by_guest = request.method in READING and viewer(request) is None
        return cache_for_everybody(response) if by_guest else response

    return operation


def _with_headers(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Add an ETag to a response. Return a 304 instead if the program has this response already.

    Return 412 if it requires another response.
    """
    patch_vary_headers(response, ["Accept-Language", "Authorization"])
    private = "private, " if "Authorization" in request.headers else ""
    response["Cache-Control"] = f"{private}no-cache"
    if hasattr(request, "next_page"):
        response["Link"] = f'<{request.next_page}>; rel="next"'
    short = conditions.mark(request, response)
    if short is None:
        return response
    if short.status_code == 412:
        return error_responses.for_programs(412, _("This was changed meanwhile."))
    return short


def respond_to_error(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """Return an error as JSON (RFC 9457), with the same message as on the site's pages.

    Raises the error again if it is unexpected, since it is then a bug.
    """
    problem = _problem(request, error) if isinstance(error, Exception) else None
    if problem is None:
        raise error
    response = error_responses.for_programs(problem.status, problem.sentence, **_existing(error))
    if problem.status == 401:
        wrong = ', error="invalid_token"' if "Authorization" in request.headers else ""
        response["WWW-Authenticate"] = f'Bearer realm="API"{wrong}'
    return _with_headers(request, problem.mark(response))


def _problem(request: HttpRequest, error: Exception) -> Problem | None:
    if isinstance(error, Http404):
        return Problem(404, _("There is nothing at this address."))
    if isinstance(error, AuthenticationError):
        return Problem(401, _("Send a token in a header: Authorization: Bearer <token>."))
    if isinstance(error, FormInvalid):
        return Problem(422, str(error))
    if isinstance(error, ValidationError):
        return Problem(422, "; ".join(map(faults.sentence, error.errors)))
    if isinstance(error, HttpError):
        unread = error.status_code == 400  # Ninja can't read the body
        return faults.unreadable(request) if unread else Problem(error.status_code, str(error))
    return _refusal(request, error)


def _refusal(request: HttpRequest, error: Exception) -> Problem | None:
    """Return the pages' problem. For a repeated text, there is no time after which to send it.

    A program that waited and sent the text again would publish it twice.
    """
    if isinstance(error, Throttled) and error.repeated:
        return Problem(409, _("You just sent the same text."))
    problem = problem_of(request, error)
    if problem and isinstance(error, AlreadySent):
        return replace(problem, status=409, retry_after_seconds=0)
    return problem


def _existing(error: Exception | type[Exception]) -> dict[str, object]:
    """Return what was there before the request, if that is the error.

    This is the id and address of the same text, or the decision of another moderator.
    """
    if isinstance(error, AlreadyDecided) and error.action:
        action = error.action
        at = action.created_at.isoformat()
        return {"decision": action.kind, "decided_by": full_name(action), "decided_at": at}
    if not isinstance(error, AlreadySent | Duplicate):
        return {}
    text = error.saved if isinstance(error, AlreadySent) else error.post
    return {"id": text.pk, "url": absolute(text.get_absolute_url())}
