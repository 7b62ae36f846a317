"""Which methods a view knows, and the middleware that refuses all others before tokens are checked.

Who sends another than browsers' forms has no token and shall not read that a form had grown old.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.views.decorators import http

View = TypeVar("View", bound=Callable[..., HttpResponse])

PAGE, FORM = ("GET", "HEAD"), ("GET", "HEAD", "POST")
"""What pages are asked by; no view knows more, the libraries' included."""
PASSED = frozenset({*FORM, "OPTIONS", "TRACE"})
"""What goes on to the tokens, which POST alone must bring, and to the view, which may refuse it."""


def require_http_methods(methods: Sequence[str]) -> Callable[[View], View]:
    """Do what Django's decorator does, and let it be seen from outside which the view knows."""

    def decorate(view: View) -> View:
        checked = http.require_http_methods(list(methods))(view)
        checked.methods = tuple(methods)  # type: ignore[attr-defined]
        return checked

    return decorate


require_safe = require_http_methods(PAGE)
require_form = require_http_methods(FORM)
"""For a page whose form is sent to the page's own address."""
require_POST = require_http_methods(["POST"])  # noqa: N816 - as Django calls it


def is_page(view: Callable[..., Any]) -> bool:
    """Say whether the address of a view can be opened, unlike that of a button."""
    return "GET" in getattr(view, "methods", FORM)


class MethodsMiddleware:
    """Answers 405 to what no view knows. It stands before the check of tokens."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_given: Any
    ) -> HttpResponse | None:
        """Refuse a method, with those that the view knows; a library's is taken for a form."""
        if request.method in PASSED:
            return None
        return HttpResponseNotAllowed(getattr(view, "methods", FORM))
