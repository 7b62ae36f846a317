"""What a title may be, whether somebody types it or a file brings it."""

from unicodedata import normalize

SHORTEST, LONGEST = 3, 200
"""Characters of a title."""


COMPOSED = 4 * LONGEST
"""Characters beyond which no text becomes a title by composing letters and their marks."""


def fold(text: str) -> str:
    """Return the text in one line, with single spaces, and its letters composed.

    Not where it is far too long: to put marks in order takes the square of how many there are, in
    which no other thread runs.
    """
    line = " ".join(text.split())
    return normalize("NFC", line) if len(line) <= COMPOSED else line
