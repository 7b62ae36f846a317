"""The context variables that every template receives."""

from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from forum.actions import unread
from forum.identity.viewers import viewer
from forum.web import display, queue_count


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the site's name, the viewer, the current URL, the look, and the numbers in the header.

    For moderators, also returns the number of queue items that wait for them.
    """
    return {
        "site_name": settings.SITE_NAME,
        "viewer": viewer(request),
        "here": request.get_full_path(),
        "display": display.marks_of(request),
        "unread": partial(unread.shown, request),
        "queue_count": partial(queue_count.shown, request),
    }
