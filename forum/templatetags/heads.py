"""Filters for what search engines and link previews read of a page."""

import re
from urllib.parse import parse_qsl, urlencode

from django import template
from django.conf import settings

from forum.templatetags.excerpts import excerpt

register = template.Library()
SAYS = {"p", "t"}
"""The parts of a query that choose what is on a page, and not how that is sorted."""
FIRST_PAGE = ("p", "1")
DESCRIPTION = 160
"""Characters that search engines show at most."""
READ = 1_200
"""Characters of HTML that are read for a description; a post may have tens of thousands."""
HALF_A_TAG = re.compile(r"<[^>]*\Z")


@register.filter
def canonical(here: str) -> str:
    """Return the one address of a page that can be reached under several, such as sorted ones."""
    path, _, query = here.partition("?")
    fields = {name: value for name, value in parse_qsl(query) if name in SAYS}
    said = urlencode([field for field in fields.items() if field != FIRST_PAGE])
    return f"{settings.SITE_URL}{path}?{said}" if said else f"{settings.SITE_URL}{path}"


@register.filter
def described(html: str) -> str:
    """Return the beginning of rendered markdown as a description of its page. Escape it."""
    return " ".join(excerpt(HALF_A_TAG.sub("", html[:READ]), DESCRIPTION).split())
