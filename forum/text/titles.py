"""Rules for titles, whether typed or imported."""

from unicodedata import normalize

SHORTEST, LONGEST = 3, 200
"""Characters of a title."""


COMPOSED = 4 * LONGEST
"""Characters beyond which composing letters and marks can't make a text short enough."""


def fold(text: str) -> str:
    """Return the text in one line, with single spaces and composed letters.

    A text that is far too long is not composed: sorting marks takes quadratic time and blocks all
    threads.
    """
    line = " ".join(text.split())
    return normalize("NFC", line) if len(line) <= COMPOSED else line
