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
    """Return the query string for a link to log-in or sign-up on the page with the URL `here`.

    After log-in, the person returns to `here`. On account pages, such as log-in itself, the link
    repeats the query string of `here`.
    """
    path, sign, query = here.partition("?")
    return sign + query if path.startswith(ACCOUNT_PAGES) else f"?next={quote(here)}"
