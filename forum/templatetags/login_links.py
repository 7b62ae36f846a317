"""A filter for links to log-in and sign-up. It takes a URL: cached headers have no request."""

from urllib.parse import quote

from django import template

register = template.Library()
ACCOUNT_PAGES = "/accounts/"
"""How the URLs of log-in, sign-up and the like begin."""


@register.filter
def login_query(here: str) -> str:
    """Return the query of a link from `here` to log-in or sign-up, which leads back afterwards.

    Between two account pages the present query goes along.
    """
    path, sign, query = here.partition("?")
    return sign + query if path.startswith(ACCOUNT_PAGES) else f"?next={quote(here)}"
