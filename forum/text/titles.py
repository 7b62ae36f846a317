"""Rules for titles of posts, whether typed or imported."""

from unicodedata import normalize

SHORTEST, LONGEST = 3, 200
"""Fewest and most characters of a title."""


COMPOSED = 4 * LONGEST
"""Texts with more characters can't become short enough by composing letters and accents."""


def fold(text: str) -> str:
    """Return a text on one line, with single spaces and composed letters (one character for "é").

    A text that is far too long is not composed: sorting its accents takes quadratic time and blocks
    all threads.
    """
    line = " ".join(text.split())
    return normalize("NFC", line) if len(line) <= COMPOSED else line
