"""Template tags for what every page shows: the owners' texts and the banner of a read-only site."""

from django import template
from django.conf import settings
from django.utils.translation import gettext as _

from forum.queries.owner_texts import Identity, written

register = template.Library()


@register.simple_tag
def site_identity() -> Identity:
    """Return the owners' tagline, logo and pages."""
    return written.get().identity


@register.simple_tag
def read_only() -> str:
    """Return the sentence of the banner if READ_ONLY=1, else ""."""
    if not settings.READ_ONLY:
        return ""
    return _("The site is read-only for maintenance. You can read, but not write, vote or log in.")
