"""Counts the visible characters in a text. A text that has none would leave a page empty."""

import re
import unicodedata
from html import unescape

BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Characters that Unicode calls letters or symbols, but that look empty."""
UNSEEN = "CMZ"
"""First letters of the Unicode categories of invisible characters: controls, marks and spaces."""
TAG = re.compile(r"<[^>]*>")


def count(text: str) -> int:
    """Return the number of visible characters in a text."""
    return sum(unicodedata.category(c)[0] not in UNSEEN and c not in BLANK for c in text)


def shows(html: str) -> bool:
    """Return whether HTML from `markup.render` shows anything: a character or a rule (`<hr>`)."""
    return "<hr" in html or count(unescape(TAG.sub("", html))) > 0
