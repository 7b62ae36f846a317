"""Template filters for pages and links of accounts."""

from urllib.parse import quote

from django import template
from django.conf import settings

from forum.config.openid import openid_providers
from forum.config.rate_limits import CONFIRMATION_MINUTES
from forum.queries.email_addresses import has_unconfirmed_email

register = template.Library()
register.filter(has_unconfirmed_email)
register.simple_tag(openid_providers)
ACCOUNT_PAGES = "/accounts/"
"""Prefix of the URL paths of log-in, sign-up and other account pages."""


@register.filter
def login_query(here: str) -> str:
    """Return the query string of a link that leads from the page `here` to log-in or sign-up.

    It makes the person return to the URL `here` after log-in. If `here` is itself an account page,
    such as sign-up, return the query string of `here` unchanged. Takes a URL instead of the
    request, because the cached header is rendered without a request.
    """
    path, sign, query = here.partition("?")
    return sign + query if path.startswith(ACCOUNT_PAGES) else f"?next={quote(here)}"


@register.simple_tag
def confirmation_minutes() -> int:
    """Return how long people wait until a log-in sends another email to confirm their address."""
    return CONFIRMATION_MINUTES


@register.simple_tag
def uses_passwords() -> bool:
    """Return whether people can log in with a password, not with providers only."""
    return not settings.OIDC_ONLY
