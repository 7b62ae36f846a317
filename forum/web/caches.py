"""All caches of HTML in a web process, with their size limits.

A cache key contains everything that the HTML depends on. So a changed post has a new key, and no
entry has to be invalidated. `GUEST_PAGES` is different: it caches whole pages for one second.
When all caches are full, they hold about 90 MB of HTML.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from django.template.loader import render_to_string

Render = TypeVar("Render", bound=Callable[..., Any])
LINE_BREAK = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class HtmlCache:
    """Caches the HTML that decorated functions return, up to a number of entries per function."""

    entries: int
    """Maximum number of entries."""
    entry_bytes: int
    """Size of a typical entry, in bytes."""

    def remember(self, render: Render) -> Render:
        """Decorate a function that renders HTML: cache its results by its arguments.

        The HTML must depend only on the arguments. When the cache is full, the least recently used
        result is dropped.
        """
        return lru_cache(maxsize=self.entries)(render)  # type: ignore[return-value]


ROWS = HtmlCache(entries=8_192, entry_bytes=1_300)
"""Rows of listings."""
COMMENTS = HtmlCache(entries=8_192, entry_bytes=2_000)
"""Comments of a thread, without their text."""
FLAT_COMMENTS = HtmlCache(entries=8_192, entry_bytes=2_000)
"""Comments of flat views, without their text."""
COMMENT_SUMMARIES = HtmlCache(entries=8_192, entry_bytes=200)
"""The lines that readers see in place of folded comments."""
AVATARS = HtmlCache(entries=8_192, entry_bytes=200)
"""People's patterns beside their names."""
MORE_LINKS = HtmlCache(entries=8_192, entry_bytes=150)
"""Links to replies that are left out of a page."""
BLOCKED = HtmlCache(entries=1_024, entry_bytes=200)
"""The lines that replace posts and comments by people whom the viewer blocked."""
CHIPS = HtmlCache(entries=1_024, entry_bytes=150)
"""Links to groups."""
RESULTS = HtmlCache(entries=1_024, entry_bytes=300)
"""Parts of search results: results without their texts, points, names and links to groups."""
INBOX = HtmlCache(entries=128, entry_bytes=2_000)
"""Items of the inbox, and the titles above them, without anything of the items themselves."""
FRAMES = HtmlCache(entries=1_024, entry_bytes=4_000)
"""Listing pages without their rows."""
FRAGMENTS = HtmlCache(entries=1_000, entry_bytes=1_500)
"""Parts of templates inside `{% remember %}`, such as the header.

Each `{% remember %}` tag has its own cache with this limit.
"""
GUEST_PAGES = HtmlCache(entries=256, entry_bytes=8_000)
"""Whole pages for guests. Together they may have at most `guest_pages.MOST_BYTES` bytes."""


def render_compact(template: str, context: dict[str, Any]) -> str:
    """Render a template without line breaks, to save memory in a cache."""
    return LINE_BREAK.sub(" ", render_to_string(template, context).strip())
