"""Turns rendered HTML into plain text, for search, excerpts and descriptions."""

import re
from html import unescape

from django.utils.text import Truncator

from forum.text.spoilers import without_spoilers

BLOCK = re.compile(r"</?(?:p|br|hr|li|ul|ol|pre|blockquote|h\d|table|tr|t[dh])\b[^>]*>")
"""Tags between which words end. Other tags may stand within a word."""
TAG = re.compile(r"<[^>]*>")
HALF_A_TAG = re.compile(r"<[^>]*\Z")
MARKUP = 4
"""How many characters of HTML are read for each character of a shortened text."""


def plain_text(html: str) -> str:
    """Return HTML from `markup.render` as plain text on one line, without the text of spoilers."""
    return " ".join(unescape(TAG.sub("", BLOCK.sub(" ", without_spoilers(html)))).split())


def shortened(html: str, most: int) -> str:
    """Return the beginning of some HTML as plain text: at most `most` characters."""
    start = HALF_A_TAG.sub("", html[: most * MARKUP])
    return str(Truncator(plain_text(start)).chars(most))
