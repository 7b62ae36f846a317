"""Recomputes the data that search uses: stored texts, hosts of links, and SQLite's index.

This is needed once after an upgrade from a version without search. `manage.py up` does it.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from forum.models import Comment, Post
from forum.queries.batches import batches, each
from forum.search import index
from forum.text import search_text, terms

Progress = Callable[[int], object]
"""A function that is called with the number of rows done since the last call."""


def fill_missing() -> None:
    """Compute missing search texts of posts and comments."""
    rebuild(lambda _rows: None, missing_only=True)


def rebuild(progress: Progress, *, missing_only: bool = False) -> int:
    """Recompute search texts and the hosts of links; return how many posts and comments changed.

    `missing_only` skips posts and comments that already have a search text, and doesn't rebuild
    SQLite's index. You can stop this at any moment and start it again.
    """
    only = {"search_text": ""} if missing_only else {}
    changed = 0
    posts = each(Post.objects.filter(**only), "title", "url", "body_html", "host", "search_text")
    for rows in batches(posts):
        changed += _store(Post.objects.all(), map(_post, rows))
        progress(len(rows))
    for rows in batches(each(Comment.objects.filter(**only), "body_html", "search_text")):
        changed += _store(Comment.objects.all(), map(_comment, rows))
        progress(len(rows))
    if not missing_only:
        index.fill()
    return changed


Fields = dict[str, str]


def _post(row: tuple[Any, ...]) -> tuple[int, Fields, Fields]:
    """Return a post's id, its title, URL and HTML, and new values for outdated search fields."""
    pk, title, url, html, host, text = row
    computed = {"host": terms.host_of(url), "search_text": search_text.of_post(title, url, html)}
    changed = computed if (host, text) != tuple(computed.values()) else {}
    return pk, {"title": title, "url": url, "body_html": html}, changed


def _comment(row: tuple[Any, ...]) -> tuple[int, Fields, Fields]:
    pk, html, text = row
    computed = search_text.of_comment(html)
    return pk, {"body_html": html}, {"search_text": computed} if computed != text else {}


@transaction.atomic
def _store(rows: QuerySet[Any], found: Iterable[tuple[int, Fields, Fields]]) -> int:
    """Save changed fields, but not if somebody edited the post or comment meanwhile."""
    return sum(
        rows.filter(pk=pk, **source).update(**changed) for pk, source, changed in found if changed
    )
