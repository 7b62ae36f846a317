"""Converts texts of Hacker News, which are in a simple HTML, to Markdown."""

import re
from html import unescape

TAG = re.compile(r"</?(?:p|i|a|b|pre|code)\b[^>]*>|&(?:#x?[0-9a-fA-F]+|[a-z]+);")
PATTERNS = (
    (re.compile(r"<pre><code>(.*?)\n?</code></pre>", re.DOTALL), r"\n\n```\n\1\n```\n\n"),
    (re.compile(r"</?p>"), r"\n\n"),
    (re.compile(r"</?i>"), "*"),
    (re.compile(r"</?b>"), "**"),
    (re.compile(r'<a href="([^"]*)"[^>]*>.*?</a>', re.DOTALL), r"<\1>"),
)
"""The tags that Hacker News uses, and what they become. Links show their address there, too."""


def to_markdown(text: str) -> str:
    """Return a text in Markdown. Texts without HTML are returned unchanged."""
    if not TAG.search(text):
        return text
    for pattern, replacement in PATTERNS:
        text = pattern.sub(replacement, text)
    return unescape(text)
