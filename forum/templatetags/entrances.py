"""A filter for the links to log-in and sign-up. Remembered headers have them too, so it asks for no
request.
"""

from urllib.parse import quote

from django import template

register = template.Library()
ACCOUNT_PAGES = "/accounts/"
"""What the addresses of log-in, sign-up and the like begin with, and no other."""


@register.filter
def entrance_query(here: str) -> str:
    """Return the query of a link from `here` to log-in or sign-up: it leads back here afterwards,
    or from one account page on to where the other was to lead.
    """
    path, sign, query = here.partition("?")
    return sign + query if path.startswith(ACCOUNT_PAGES) else f"?next={quote(here)}"
