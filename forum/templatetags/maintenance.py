"""A template tag for the banner of a read-only site (READ_ONLY=1)."""

from django import template
from django.conf import settings
from django.utils.translation import gettext as _

register = template.Library()


@register.simple_tag
def read_only() -> str:
    """Return the sentence of the banner; "" if the site isn't read-only."""
    if not settings.READ_ONLY:
        return ""
    return _("The site is read-only for maintenance. You can read, but not write, vote or log in.")
