"""Excerpts of texts."""

from html import unescape

from django import template
from django.utils.html import strip_tags
from django.utils.text import Truncator

register = template.Library()


@register.filter
def excerpt(html: str, most: int) -> str:
    """Return the text of rendered Markdown, cut to a length. Not escaped."""
    return Truncator(unescape(strip_tags(html))).chars(most)
