"""A template filter for links to log-in and sign-up.

It takes a URL instead of the request, because the cached header is rendered without a request.
"""

from urllib.parse import quote

from django import template

register = template.Library()
ACCOUNT_PAGES = "/accounts/"
"""Prefix of the URL paths of log-in, sign-up and other account pages."""


@register.filter
def login_query(here: str) -> str:
    """Return the query string of a link that leads from the page `here` to log-in or sign-up.

    It makes the person return to the URL `here` after log-in. If `here` is itself an account page,
    such as sign-up, return the query string of `here` unchanged.
    """
    path, sign, query = here.partition("?")
    return sign + query if path.startswith(ACCOUNT_PAGES) else f"?next={quote(here)}"
