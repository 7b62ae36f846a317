"""A template filter for links to log-in and sign-up.

The argument is a URL, not the request, because the cached header is rendered without a request.
"""

from urllib.parse import quote

from django import template

register = template.Library()
ACCOUNT_PAGES = "/accounts/"
"""Prefix of the URL paths of log-in, sign-up and other account pages."""


@register.filter
def login_query(here: str) -> str:
    """Return the query string for a link to log-in or sign-up.

    After log-in, the person returns to the URL `here`. If `here` is an account page, its own query
    string is returned.
    """
    path, sign, query = here.partition("?")
    return sign + query if path.startswith(ACCOUNT_PAGES) else f"?next={quote(here)}"
