"""A template tag with the owners' texts about the site, used on every page."""

from django import template

from forum.staff.owner_texts.queries import Identity, written

register = template.Library()


@register.simple_tag
def site_identity() -> Identity:
    """Return the tagline, the logo and the pages that owners wrote. Usually no query."""
    return written.get().identity
