"""The decorators that check whether the viewer may open a page for moderators."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.http import HttpRequest, HttpResponse

from forum.identity import permissions, roles
from forum.identity.viewers import powers
from forum.models.powers import Powers
from forum.web.login_required import login_required

View = TypeVar("View", bound=Callable[..., HttpResponse])


def readers_of_queue(view: View) -> View:
    """Decorate a view for moderators and auditors. Others are refused, and guests log in first."""
    return _requires(view, permissions.require_reading_queue)


def moderators_only(view: View) -> View:
    """Decorate a view for moderators of a group or the site. Others are refused.

    Guests are asked to log in first.
    """
    return _requires(view, permissions.require_reading_queue, roles.require_moderating)


def site_readers(view: View) -> View:
    """Decorate a view for moderators of the site and auditors. Others are refused.

    Guests are asked to log in first.
    """
    return _requires(view, permissions.require_reading_everything)


def _requires(view: View, *checks: Callable[[Powers], None]) -> View:
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        for check in checks:
            check(powers(request))
        return view(request, *args, **kwargs)

    return cast("View", login_required(checked))
