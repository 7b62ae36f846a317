"""Every cache of HTML in a web process, with its bound and what it may cost in memory.

HTML is cached by everything that it depends on, so that nothing has to be invalidated: a changed
post has another key. Only `GUEST_PAGES` keeps whole pages, for a second. When all are full, they
hold about 90 MB of HTML.
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
    """The bound of a cache."""

    entries: int
    """Entries kept; beyond that, the least recently used ones go."""
    entry_bytes: int
    """Size of a usual entry."""

    def remember(self, render: Render) -> Render:
        """Decorate a function that renders HTML from nothing but its arguments."""
        return lru_cache(maxsize=self.entries)(render)  # type: ignore[return-value]


ROWS = HtmlCache(entries=8_192, entry_bytes=1_300)
"""Rows of listings, by tally, vote, age and language."""
COMMENTS = HtmlCache(entries=8_192, entry_bytes=2_000)
"""Comments of a thread, without their text."""
FLAT_COMMENTS = HtmlCache(entries=8_192, entry_bytes=2_000)
"""Comments of flat views, without their text."""
COMMENT_SUMMARIES = HtmlCache(entries=8_192, entry_bytes=200)
"""Lines that fold a comment with its replies."""
MORE_LINKS = HtmlCache(entries=8_192, entry_bytes=150)
"""Links to replies that a page does not show."""
BLOCKED = HtmlCache(entries=1_024, entry_bytes=200)
"""Lines that fold what a blocked person wrote."""
FRAMES = HtmlCache(entries=1_024, entry_bytes=4_000)
"""Listing pages without their rows."""
FRAGMENTS = HtmlCache(entries=1_000, entry_bytes=1_500)
"""Parts of templates inside `{% remember %}`, such as the header; bound of each such tag."""
GUEST_PAGES = HtmlCache(entries=256, entry_bytes=8_000)
"""Whole pages for guests; their bytes are bounded too (`guest_pages`)."""


def render_compact(template: str, context: dict[str, Any]) -> str:
    """Render HTML to be cached, without the line breaks of its template."""
    return LINE_BREAK.sub(" ", render_to_string(template, context).strip())
