"""Helpers for API operations.

They document the failures of an operation, check forms and make URLs of next pages.
"""

from collections.abc import Iterable
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.forms import BaseForm
from django.http import HttpRequest
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from ninja.responses import Status

from forum.api import schemas
from forum.api.auth import Scope, Token
from forum.api.responses import FormInvalid
from forum.api.serializers import absolute

Response = type[schemas.Schema] | dict[tuple[int, ...], type[schemas.Schema]]
"""The object in an operation's response, or the object for each of several statuses."""
Text = TypeVar("Text", schemas.FullPost, schemas.Comment)

_PROBLEM = {"schema": {"$ref": "#/components/schemas/Problem"}}
_WAIT = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}
_READING = {
    401: "The token is unknown or revoked.",
    403: "The token's owner may not use the site.",
    404: "There is nothing with this id or name.",
    410: "It was deleted.",
    412: "A condition (If-Match or If-None-Match) isn't met, so nothing was done.",
    422: "A parameter is wrong.",
    429: "Too many requests: wait as long as Retry-After says.",
    503: "Part of the site is unavailable: try again later.",
}
_WITH_TOKEN = _READING | {
    400: "The body is not JSON.",
    401: "The token is missing, unknown or revoked.",
    403: "The token or its owner may not do this.",
    409: "It is too late for this, or somebody else did it first.",
    413: "The body is too large.",
    415: "The body is a form, not JSON.",
}


def _failure(status: int, description: str) -> dict[str, Any]:
    response = {"description": description, "content": {"application/problem+json": _PROBLEM}}
    return response | ({"headers": _WAIT} if status in {429, 503} else {})


def _security(scopes: Iterable[Scope]) -> list[dict[str, list[str]]]:
    return [{"token": [scope.value]} for scope in scopes]


READS: dict[str, Any] = {
    "security": [{}, *_security([Scope.READ])],
    "responses": {status: _failure(status, text) for status, text in _READING.items()},
}
"""The OpenAPI document's part about tokens and failures, for operations that everybody may use."""


def needs(scopes: Scope | Iterable[Scope], response: Response) -> dict[str, Any]:
    """Return the arguments of an operation for programs whose token has one of these scopes."""
    names = [scopes] if isinstance(scopes, Scope) else list(scopes)
    failures = {status: _failure(status, text) for status, text in _WITH_TOKEN.items()}
    extra = {"security": _security(names), "responses": failures}
    return {"auth": Token(*names), "response": response, "openapi_extra": extra}


def saved(text: Text) -> Status[Text]:
    """Return the response to a program that wrote a text: 202 if the text waits for moderators."""
    return Status(200 if text.state == "published" else 202, text)


def next_page(request: HttpRequest, **changed: object) -> str:
    """Return the URL of the request, with some query parameters changed. It gets a Link header."""
    fields = request.GET.dict() | {name: str(value) for name, value in changed.items()}
    return link_next(request, urlencode(fields))


def link_next(request: HttpRequest, query: str) -> str:
    """Return the URL of the next page, with this query. The response gets a Link header with it."""
    path = escape_uri_path(request.path)
    request.next_page = absolute(f"{path}?{query}")  # type: ignore[attr-defined]
    return str(request.next_page)  # type: ignore[attr-defined]


def impossible(action: str, available: Iterable[str]) -> str:
    """Return that a moderator can't do an action now, and what the moderator can do instead."""
    sentence = _("“%(action)s” isn't possible now. Possible actions: %(available)s.")
    return sentence % {"action": action, "available": ", ".join(available)}


def checked(form: BaseForm) -> dict[str, Any]:
    """Return the cleaned data of a form. Raises FormInvalid if the form isn't valid."""
    if not form.is_valid():
        raise FormInvalid(form)
    return dict(form.cleaned_data)
