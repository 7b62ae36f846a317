"""A decorator for views that turn something on or off, as the save and follow buttons do."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from forum.errors import Invalid
from forum.web.methods import require_POST

STATES = {"1": True, "0": False}


def switch(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view: accept a POST with `on=1` or `on=0`, and pass `on` to the view as a bool.

    Raises Invalid for any other value of `on`.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        on = STATES.get(request.POST.get("on", ""))
        if on is None:
            raise Invalid(_('Invalid value for "on": use 1 or 0.'))
        return view(request, *args, on=on, **kwargs)

    return require_POST(checked)
