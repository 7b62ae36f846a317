"""The context variables that every template receives."""

from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from forum.identity.viewers import viewer
from forum.inbox import unread


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the site's name, the viewer, the current URL and the viewer's unread count.

    No query if the viewer was seen recently. The unread count costs a round trip unless the page
    has fetched it with its own data.
    """
    return {
        "site_name": settings.SITE_NAME,
        "viewer": viewer(request),
        "here": request.get_full_path(),
        "unread": partial(unread.shown, request),
    }
