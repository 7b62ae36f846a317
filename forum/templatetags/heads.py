"""Filters for search engines and link previews."""

import re
from urllib.parse import parse_qsl, urlencode

from django import template
from django.conf import settings

from forum.templatetags.excerpts import excerpt

register = template.Library()
SAYS = {"p", "t"}
"""Parameters that decide what is on a page, not how it is sorted."""
FIRST_PAGE = ("p", "1")
DESCRIPTION = 160
"""Most characters that search engines show."""
READ = 1_200
"""Characters of HTML that a description is made from."""
HALF_A_TAG = re.compile(r"<[^>]*\Z")


@register.filter
def canonical(here: str) -> str:
    """Return the canonical URL of a page that has several, such as sorted ones."""
    path, _, query = here.partition("?")
    fields = {name: value for name, value in parse_qsl(query) if name in SAYS}
    said = urlencode([field for field in fields.items() if field != FIRST_PAGE])
    return f"{settings.SITE_URL}{path}?{said}" if said else f"{settings.SITE_URL}{path}"


@register.filter
def described(html: str) -> str:
    """Return the beginning of rendered Markdown as a description of its page. Not escaped."""
    return " ".join(excerpt(HALF_A_TAG.sub("", html[:READ]), DESCRIPTION).split())
