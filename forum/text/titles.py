"""What a title may be, whether somebody types it or a file brings it."""

from unicodedata import normalize

SHORTEST, LONGEST = 3, 200
"""Characters of a title."""


def fold(text: str) -> str:
    """Return the text in one line, with single spaces."""
    return normalize("NFC", " ".join(text.split()))
