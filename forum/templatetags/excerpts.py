"""Beginnings of what people wrote."""

from html import unescape

from django import template
from django.utils.html import strip_tags
from django.utils.text import Truncator

register = template.Library()


@register.filter
def excerpt(html: str, most: int) -> str:
    """Return the text of rendered markdown, at most so many characters of it. Escape it."""
    return Truncator(unescape(strip_tags(html))).chars(most)
