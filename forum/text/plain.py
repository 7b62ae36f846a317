"""Turns rendered HTML into plain text, for search, excerpts and descriptions."""

import re
from html import unescape

BLOCK = re.compile(r"</?(?:p|br|hr|li|ul|ol|pre|blockquote|h\d|table|tr|t[dh])\b[^>]*>")
"""Tags between which words end. Other tags may stand within a word."""
TAG = re.compile(r"<[^>]*>")


def plain_text(html: str) -> str:
    """Return the text of HTML from `markup.render` on one line."""
    return " ".join(unescape(TAG.sub("", BLOCK.sub(" ", html))).split())
