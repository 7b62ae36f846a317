"""The WSGI handler: Django's handler with our own request class."""

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest


class Request(WSGIRequest):
    """A request whose Content-Type may name any charset without an error.

    With Django's property, a codec that isn't a text encoding (`charset=hex`) raises an error while
    the request is created, and the response is a 500. With a plain attribute, `ErrorsMiddleware`
    can answer 400.
    """

    encoding: str | None = None


class Handler(WSGIHandler):
    """Django's handler, which creates `Request` objects."""

    request_class = Request
