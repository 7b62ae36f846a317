"""Template filters for what search engines and link previews read in a page's head."""

import re
from urllib.parse import parse_qsl, urlencode

from django import template
from django.conf import settings

from forum.templatetags.excerpts import excerpt

register = template.Library()
CONTENT_PARAMETERS = {"p", "t"}
"""Query parameters that select what is on a page; all others only sort it or the like."""
FIRST_PAGE = ("p", "1")
DESCRIPTION = 160
"""Most characters of a description; search engines show no more."""
READ = 1_200
"""Characters of HTML that are read to make a description."""
HALF_A_TAG = re.compile(r"<[^>]*\Z")


@register.filter
def canonical(here: str) -> str:
    """Return the canonical URL of a page that has several URLs, for example by sorting."""
    path, _, query = here.partition("?")
    fields = {name: value for name, value in parse_qsl(query) if name in CONTENT_PARAMETERS}
    selected = urlencode([field for field in fields.items() if field != FIRST_PAGE])
    return f"{settings.SITE_URL}{path}?{selected}" if selected else f"{settings.SITE_URL}{path}"


@register.filter
def described(html: str) -> str:
    """Return a page's description: the beginning of its rendered Markdown as text. Not escaped."""
    return " ".join(excerpt(HALF_A_TAG.sub("", html[:READ]), DESCRIPTION).split())
