"""A template tag for groups."""

from django import template

from forum.web.group_chips import chip

register = template.Library()
register.simple_tag(chip, name="group_chip")
