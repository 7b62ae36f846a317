"""Folds posts and comments by blocked people into one line, which the viewer can open."""

from django.utils.safestring import SafeString

from forum.web import caches
from forum.web.placeholders import FOLDED


def fold_post(html: str, author: str, language: str) -> str:
    """Fold the HTML of a post whose `author` is blocked by the viewer.

    `language` must be the active language.
    """
    return _fold(author, "post", language).replace(FOLDED, html)


def fold_comment(html: str, author: str, language: str) -> str:
    """Fold the HTML of a comment whose `author` is blocked by the viewer.

    `language` must be the active language.
    """
    return _fold(author, "comment", language).replace(FOLDED, html)


@caches.BLOCKED.remember
def _fold(author: str, what: str, language: str) -> str:
    context = {"author": author, "what": what, "inside": SafeString(FOLDED)}
    return caches.render_compact("partials/blocked.html", context)
