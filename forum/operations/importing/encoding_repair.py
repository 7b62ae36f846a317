"""Mends texts that were encoded twice, as files that have passed through many hands often are."""

import re

WINDOWS = re.compile(r"[\x80-\x9f]")
"""Control characters that nobody types, where Windows has the euro sign and curly quotes."""


def mend(text: str) -> str:
    """Return "Pokémon" for "PokÃ©mon"; a text that was encoded once stays as it is."""
    if text.isascii():
        return text
    try:
        once = text.encode("latin-1").decode()
    except UnicodeError:
        return text
    return WINDOWS.sub(lambda found: found[0].encode("latin-1").decode("cp1252", "replace"), once)
