"""A template tag with what owners wrote about the site, for every page."""

from django import template

from forum.staff.owner_texts.queries import Identity, written

register = template.Library()


@register.simple_tag
def site_identity() -> Identity:
    """Return the tagline, the logo and the pages that owners wrote. Usually no query."""
    return written.get().identity
