"""Who a text speaks to: names with an @ before them."""

from forum.text import markup

MOST = 10
"""Mentions of one text that are heard; a longer list is not talk."""


def mentioned(markdown_text: str) -> list[str]:
    """Return the names mentioned outside code, in small letters, each once, `MOST` at the most."""
    if "@" not in markdown_text:
        return []
    names = (found.lower() for found in markup.MENTION.findall(markup.words(markdown_text)))
    return list(dict.fromkeys(names))[:MOST]
