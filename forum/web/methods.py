"""The HTTP methods of views, and middleware that refuses other methods before the CSRF check.

A client that sends PUT or DELETE has no CSRF token. The response should be 405, not "this page has
expired".

The decorators replace Django's, because Django's don't store the methods. The stored methods tell
pages from buttons: only a page can be opened again after a log-in (see `is_page`).
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.views.decorators import http

from forum.errors import ReadOnly
from forum.web.programs import is_for_programs

View = TypeVar("View", bound=Callable[..., HttpResponse])

READING = frozenset({"GET", "HEAD"})
PAGE, FORM = ("GET", "HEAD"), ("GET", "HEAD", "POST")
"""The methods of pages without a form and of pages with a form. No view accepts other methods."""
PASSED = frozenset({*FORM, "OPTIONS", "TRACE"})
"""Methods that `MethodsMiddleware` doesn't refuse. The CSRF check or the view may refuse them."""


def require_http_methods(methods: Sequence[str]) -> Callable[[View], View]:
    """Restrict a view to these methods, as Django does, and store them for `MethodsMiddleware`."""

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
    """Return whether a view answers GET. The views of buttons answer only POST."""
    return "GET" in getattr(view, "methods", FORM)


def require_writable(request: HttpRequest) -> None:
    """Raise ReadOnly if the site is read-only and a request does more than read."""
    if settings.READ_ONLY and request.method not in READING:
        raise ReadOnly


class MethodsMiddleware:
    """Answers 405 to methods that no view accepts. Must come before the CSRF middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *_given: Any
    ) -> HttpResponse | None:
        """Return 405 if the method isn't in `PASSED`. The response lists the allowed methods.

        A view from a library has no list of methods. The response then lists GET, HEAD and POST.
        Views for programs refuse methods themselves.
        """
        if request.method in PASSED or is_for_programs(request):
            return None
        return HttpResponseNotAllowed(getattr(view, "methods", FORM))
