"""Rules for titles of posts, whether typed or imported."""

from unicodedata import normalize

SHORTEST, LONGEST = 3, 200
"""Minimum and maximum number of characters in a title."""


COMPOSED = 4 * LONGEST
"""Texts with more characters are too long for a title even after `fold` has composed letters."""


def fold(text: str) -> str:
    """Return a text on one line, with single spaces and letters in composed form.

    For example, "é" becomes one character. A text with more than `COMPOSED` characters is not
    composed, since sorting its accents would take quadratic time and block all threads.
    """
    line = " ".join(text.split())
    return normalize("NFC", line) if len(line) <= COMPOSED else line
