"""What of a text can be seen: much that is typed, or put in by a program, leaves a page empty."""

import re
import unicodedata
from html import unescape

BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Letters and symbols by their kind that are drawn as nothing."""
UNSEEN = "CMZ"
"""Kinds of characters that show nothing by themselves: of control, marks on others, spaces."""
TAG = re.compile(r"<[^>]*>")


def count(text: str) -> int:
    """Return how many characters of a text can be seen by themselves."""
    return sum(unicodedata.category(c)[0] not in UNSEEN and c not in BLANK for c in text)


def shows(html: str) -> bool:
    """Say whether anything of our own HTML (`markup.render`) can be seen: a character or a line."""
    return "<hr" in html or count(unescape(TAG.sub("", html))) > 0
