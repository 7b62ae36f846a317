"""The HTTP methods of views, and middleware that refuses all others before the CSRF check.

A client that sends PUT or DELETE has no CSRF token. It should get 405, not "this page has expired".
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.views.decorators import http

View = TypeVar("View", bound=Callable[..., HttpResponse])

READING = frozenset({"GET", "HEAD"})
PAGE, FORM = ("GET", "HEAD"), ("GET", "HEAD", "POST")
"""The methods of pages without a form and with one. No view has others, not even in libraries."""
PASSED = frozenset({*FORM, "OPTIONS", "TRACE"})
"""Methods left to the CSRF check and the view, which may still refuse them."""


def require_http_methods(methods: Sequence[str]) -> Callable[[View], View]:
    """Do what Django's decorator does, and store the methods on the view for the middleware."""

    def decorate(view: View) -> View:
        checked = http.require_http_methods(list(methods))(view)
        checked.methods = tuple(methods)  # type: ignore[attr-defined]
        return checked

    return decorate


require_safe = require_http_methods(PAGE)
require_form = require_http_methods(FORM)
"""Decorates the view of a page whose form is posted to the page's own URL."""
require_POST = require_http_methods(["POST"])  # noqa: N816 - as Django calls it


def is_page(view: Callable[..., Any]) -> bool:
    """Return whether a view answers GET. The views of buttons don't."""
    return "GET" in getattr(view, "methods", FORM)


class MethodsMiddleware:
    """Answers 405 to methods that no view has. Must come before the CSRF middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_given: Any
    ) -> HttpResponse | None:
        """Return 405 if the view doesn't accept the request's method; name those that it accepts.

        Views of libraries, which don't name their methods, are treated as forms.
        """
        if request.method in PASSED:
            return None
        return HttpResponseNotAllowed(getattr(view, "methods", FORM))
