"""What every template may use."""

from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from forum.inbox import unread
from forum.pages.tokens import token
from forum.visiting.viewers import viewer


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the site's name, who is looking, at what, and how much is unread in their inbox.

    No query for a person seen lately; a round trip where a page shows what is unread and did not
    ask along with its own questions. The forms' token is made where it is used.
    """
    return {
        "site_name": settings.SITE_NAME,
        "viewer": viewer(request),
        "here": request.get_full_path(),
        "unread": partial(unread.shown, request),
        "csrf_token": SimpleLazyObject(partial(token, request)),
    }
