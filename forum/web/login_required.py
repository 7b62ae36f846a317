"""Asks guests to log in, without losing the text that they typed or the button that they pressed.

All views use this to require log-in. After log-in:

- a guest who opened a page returns to the page;
- a guest who sent a form returns to the form, filled in from a draft (`forum.web.drafts`);
- a guest who pressed a button returns to the button's page, and is asked to press it again;
- a guest who voted or followed is asked to confirm that (`forum.web.pending_actions`).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.web import drafts, saved_drafts
from forum.web.methods import READING, is_page
from forum.web.redirects import origin

ENTER = "enter"
"""The field of the buttons "Log in" and "Sign up" of a form that a guest fills in."""
View = TypeVar("View", bound=Callable[..., HttpResponse])


def login_required(view: View) -> View:
    """Decorate a view for members: guests are redirected to log-in and then back.

    In the view, `viewers.member` returns the person. A form that a guest sent is stored as a draft.
    Raises Throttled if the guest's network stores too many drafts.
    """
    return _checked(view, _never)


def login_required_to_send(view: View) -> View:
    """Decorate a view of a form that guests can open and fill in, but only members can send.

    Guests who send the form are redirected to log-in, and then back to the form, filled in. If they
    send an empty form, the view says so. Raises Throttled if the guest's network stores too many
    drafts.
    """
    return _checked(view, _reads_or_sends_nothing)


def _reads_or_sends_nothing(request: HttpRequest) -> bool:
    """Return whether a guest opened a form, or pressed its main button without having typed."""
    other_buttons = {ENTER, saved_drafts.SAVE, "preview"}
    is_empty = not request.POST.get("body", "").strip() and other_buttons.isdisjoint(request.POST)
    return request.method in READING or is_empty


def _never(_request: HttpRequest) -> bool:
    return False


def _checked(view: View, is_for_guests: Callable[[HttpRequest], bool]) -> View:
    """Decorate a view: guests are redirected to log-in, except if `is_for_guests`."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated and not is_for_guests(request):
            return to_log_in(request)
        response = view(request, *args, **kwargs)
        if request.method == "POST" and response.status_code == 303 and _is_page(request):
            drafts.remove(request)
        return response

    checked.finds_drafts = True  # type: ignore[attr-defined]
    return cast("View", checked)


def to_log_in(request: HttpRequest, back: str = "") -> HttpResponse:
    """Redirect a guest to log-in, and afterwards back to the requested page or form.

    A guest who pressed a button returns to `back`, by default the page with the button. Raises
    Throttled if the guest's network stores too many drafts.
    """
    if _is_page(request):
        entrance = "account_signup" if request.POST.get(ENTER) == "account_signup" else None
        return redirect_to_login(drafts.store_guests_form(request), entrance)
    messages.info(request, _("Log in first, then press the button again."))
    return redirect_to_login(back or origin(request, reverse("front")))


def _is_page(request: HttpRequest) -> bool:
    return request.resolver_match is not None and is_page(request.resolver_match.func)
