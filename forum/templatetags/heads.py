"""Template filters for a page's head, which search engines and link previews read."""

import re
from urllib.parse import parse_qsl, urlencode

from django import template
from django.conf import settings

from forum.templatetags.excerpts import excerpt

register = template.Library()
CONTENT_PARAMETERS = {"p", "t"}
"""Query parameters that select what a page shows. All others only change how it looks."""
FIRST_PAGE = ("p", "1")
DESCRIPTION = 160
"""Maximum number of characters in a description; search engines show no more."""
READ = 1_200
"""Number of characters of HTML that are read to make a description."""
HALF_A_TAG = re.compile(r"<[^>]*\Z")


@register.filter
def canonical(here: str) -> str:
    """Return the canonical URL of a page, without parameters such as the sort order."""
    path, _, query = here.partition("?")
    fields = {name: value for name, value in parse_qsl(query) if name in CONTENT_PARAMETERS}
    selected = urlencode([field for field in fields.items() if field != FIRST_PAGE])
    return f"{settings.SITE_URL}{path}?{selected}" if selected else f"{settings.SITE_URL}{path}"


@register.filter
def described(html: str) -> str:
    """Return a page's description: the beginning of its rendered Markdown, as plain text.

    The result is not escaped.
    """
    return " ".join(excerpt(HALF_A_TAG.sub("", html[:READ]), DESCRIPTION).split())
