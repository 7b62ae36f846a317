"""What somebody wrote whose log-in had ended: it waits in the session and fills the form again."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse

from forum.models import Post, User
from forum.text import links

View = TypeVar("View", bound=Callable[..., HttpResponse])

SESSION_KEY = "draft"
LONGEST = {
    "kind": 8,
    "title": Post._meta.get_field("title").max_length,
    "url": links.LONGEST,
    "body": Post._meta.get_field("body").max_length,
    "about": User._meta.get_field("about").max_length,
}
"""What waits, and how many characters of it: no more than may be sent."""


def or_log_in(view: View) -> View:
    """Hand a view to people. A guest is led to log-in and back, and finds what they wrote."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User):
            return view(request, *args, **kwargs)
        return to_log_in(request, request.get_full_path())

    return cast("View", checked)


def to_log_in(request: HttpRequest, form: str, **more: Any) -> HttpResponse:
    """Lead to log-in and then to the address of a form; what was sent, and `more`, waits for it."""
    sent = request.POST
    kept = {name: sent[name][:longest] for name, longest in LONGEST.items() if name in sent}
    if kept:
        request.session[SESSION_KEY] = (form, kept | more)
    return redirect_to_login(form)


def waiting(request: HttpRequest) -> dict[str, Any]:
    """Return, once, what was written before log-in in the form that is asked for."""
    form, written = request.session.get(SESSION_KEY, ("", {}))
    if form != request.get_full_path():
        return {}
    del request.session[SESSION_KEY]
    return dict(written)
