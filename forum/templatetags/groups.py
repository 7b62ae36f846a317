"""Template tags for groups."""

from django import template

from forum.queries.groups import directory
from forum.web.group_chips import chip

register = template.Library()
register.simple_tag(chip, name="group_chip")


@register.simple_tag
def group_description(slug: str) -> str:
    """Return a group's description; "" if it has none, or if the group isn't known."""
    return directory.labelled(slug).description
