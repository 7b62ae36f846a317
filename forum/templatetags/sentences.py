"""A template tag for the space between two sentences, and a filter that shortens texts."""

from html import unescape

from django import template
from django.utils.html import strip_tags
from django.utils.text import Truncator

from forum.text.sentences import sentence_space
from forum.text.spoilers import without_spoilers

register = template.Library()
register.simple_tag(sentence_space)


@register.filter
def excerpt(html: str, most: int) -> str:
    """Return the plain text of rendered Markdown, cut to `most` characters and not escaped."""
    return Truncator(unescape(strip_tags(without_spoilers(html)))).chars(most)
