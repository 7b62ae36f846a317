"""A template tag for the patterns beside people's names."""

from django import template

from forum.web import avatars

register = template.Library()
register.simple_tag(avatars.draw, name="avatar")
