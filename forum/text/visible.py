"""Which characters of a text are visible: some texts would leave a page empty."""

import re
import unicodedata
from html import unescape

BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Characters that Unicode calls letters or symbols, but that are drawn as nothing."""
UNSEEN = "CMZ"
"""Unicode categories that are invisible by themselves: control characters, marks, spaces."""
TAG = re.compile(r"<[^>]*>")


def count(text: str) -> int:
    """Return the number of visible characters of a text."""
    return sum(unicodedata.category(c)[0] not in UNSEEN and c not in BLANK for c in text)


def shows(html: str) -> bool:
    """Return whether our own HTML (`markup.render`) shows anything: a character or a line."""
    return "<hr" in html or count(unescape(TAG.sub("", html))) > 0
