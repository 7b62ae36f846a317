"""Folds posts and comments by people blocked by the viewer into one line that opens them."""

from django.utils.safestring import SafeString

from forum.rendering import caches

CONTENT = "\x1e"
"""Placeholder of the folded post or comment."""


def fold_post(html: str, author: str, language: str) -> str:
    """Return a folded row in the active language, which `language` names."""
    return _fold(author, "post", language).replace(CONTENT, html)


def fold_comment(html: str, author: str, language: str) -> str:
    """Return a folded comment in the active language, which `language` names."""
    return _fold(author, "comment", language).replace(CONTENT, html)


@caches.BLOCKED.remember
def _fold(author: str, what: str, language: str) -> str:
    context = {"author": author, "what": what, "inside": SafeString(CONTENT)}
    return caches.render_compact("partials/blocked.html", context)
