"""A template tag for the tagline, logo and texts that the site's owners wrote."""

from django import template

from forum.queries.owner_texts import Identity, written

register = template.Library()


@register.simple_tag
def site_identity() -> Identity:
    """Return the owners' tagline, logo and pages."""
    return written.get().identity
