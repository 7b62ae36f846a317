"""Django as the web server calls it, with requests of our own."""

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest


class Request(WSGIRequest):
    """A request whose address is not read before it is whole.

    Django reads it while it takes down the encoding that the request names. Where that is none of
    text, this failed before anybody could refuse it (`ErrorsMiddleware`).
    """

    _named: str | None = None

    @property
    def encoding(self) -> str | None:
        """What the request says that it is written in."""
        return self._named

    @encoding.setter
    def encoding(self, name: str | None) -> None:
        self._named = self._encoding = name


class Handler(WSGIHandler):
    """Answers requests."""

    request_class = Request
