"""The WSGI handler: Django's handler with our own request class."""

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest


class Request(WSGIRequest):
    """A request that accepts any charset in its Content-Type header.

    Django's own class raises an error for some charsets, such as `hex`, before any middleware runs,
    so the response would be 500. With this class, `ErrorsMiddleware` can answer 400.
    """

    encoding: str | None = None


class Handler(WSGIHandler):
    """Django's handler, which creates `Request` objects."""

    request_class = Request
