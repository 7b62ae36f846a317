"""What every template may use."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from forum.viewers import viewer


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the site's name, who is looking, and at what. No query for a person seen lately."""
    return {
        "site_name": settings.SITE_NAME,
        "viewer": viewer(request),
        "here": request.get_full_path(),
    }
