"""The API as a whole: its description, its operations and its errors."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.renderers import BaseRenderer
from pydantic_core import to_json

from forum.api import (
    comments,
    inbox,
    lists,
    moderation,
    people,
    posts,
    queue,
    schemas,
    search,
    votes,
)
from forum.api.responses import for_programs, respond_to_error
from forum.web.methods import require_safe

DESCRIPTION = """\
Read lists, posts, comments, people, searches and the moderation log of this site. A program can
also act for you, with a token that you create in your preferences and that it sends in the header
`Authorization: Bearer <token>`.

All responses are JSON. Lists have pages: `next` is the address of the next page, or null. Errors
are `application/problem+json`, with the sentence that the site's pages show as `detail`. If you
send more requests than the limit allows, you get status 429 with `Retry-After` in seconds. Send the
`ETag` of a response as `If-None-Match` to get a 304 if nothing changed.
"""


class Api(NinjaAPI):
    """The API. Each operation's id in the OpenAPI document is the name of its function."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return an operation's id in the OpenAPI document."""
        return operation.view_func.__name__

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Return the OpenAPI document, with the two components that all operations share."""
        document = super().get_openapi_schema(**options)
        parts = document["components"]
        parts["schemas"]["Problem"] = schemas.Problem.model_json_schema()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        return document


class JsonRenderer(BaseRenderer):
    """Renders JSON with Pydantic, in a tenth of the time that Python's encoder takes."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: object, *, response_status: int) -> bytes:
        """Return data as JSON."""
        return to_json(data)


api = Api(
    title="Rostra",
    version="1",
    description=DESCRIPTION,
    docs_url=None,
    docs_decorator=require_safe,
    openapi_url="/openapi.json",
    urls_namespace="api",
    servers=[{"url": settings.SITE_URL}],
    renderer=JsonRenderer(),
)
for part in (lists, posts, comments, votes, people, search, inbox, moderation, queue):
    api.add_router("", part.router)
api.add_decorator(for_programs, mode="view")
for error in (Exception, Http404, AuthenticationError, HttpError, ValidationError):
    # Ninja has its own responses to the last four.
    api.add_exception_handler(error, respond_to_error)
