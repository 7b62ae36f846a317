"""Folds what people wrote whom the reader blocked: one line that says so and opens it."""

from functools import lru_cache

from django.utils.safestring import SafeString

from forum.pages.compact import squeezed

REMEMBERED = 1_024
INSIDE = "\x1e"
"""Stands where the post or comment belongs."""


def post(html: str, author: str, language: str) -> str:
    """Return a folded row of a list, in the active language, which `language` names."""
    return _fold(author, "post", language).replace(INSIDE, html)


def comment(html: str, author: str, language: str) -> str:
    """Return a folded comment, in the active language, which `language` names."""
    return _fold(author, "comment", language).replace(INSIDE, html)


@lru_cache(maxsize=REMEMBERED)
def _fold(author: str, what: str, language: str) -> str:
    shown = {"author": author, "what": what, "inside": SafeString(INSIDE)}
    return squeezed("partials/blocked.html", shown)
