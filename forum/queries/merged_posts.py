"""Follows merges of posts: from merged posts to the posts that remain, and back.

Merges can form a chain. Nothing is copied to the remaining post, so undoing a merge needs nothing.
"""

from collections.abc import Collection, Iterable, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from forum.models import Mark, Post
from forum.models.managers import TEXTS
from forum.queries.listings import sql_row
from forum.store import post_cards
from voting.types import Row

WITH_AUTHOR = Post.objects.select_related("author").defer("search_text")
"""Posts with their authors, and without what only search needs."""


def surviving(post: Post) -> Post:
    """Return the post that a post was merged into, or the post itself if it wasn't merged."""
    while post.merged_into_id:
        post = WITH_AUTHOR.get(pk=post.merged_into_id)
    return post


def survivors(post_ids: Collection[int]) -> dict[int, Post]:
    """Map the ids of merged posts to the visible posts that remain.

    One query if none of the posts was merged; otherwise one more for each merge in a chain.
    """
    merged = Post.objects.filter(pk__in=post_ids, merged_into__isnull=False)
    into = dict(merged.values_list("pk", "merged_into_id"))
    found: dict[int, Post] = {}
    unread = set(into.values())
    while unread:
        found |= WITH_AUTHOR.in_bulk(unread)
        unread = {post.merged_into_id for post in found.values() if post.merged_into_id}
        unread -= found.keys()
    remaining = {pk: _last(found, first) for pk, first in into.items()}
    return {pk: post for pk, post in remaining.items() if not post.deleted_at}


def _last(found: dict[int, Post], post_id: int) -> Post:
    """Follow a chain of merges from a post, and return the last post."""
    while (post := found[post_id]).merged_into_id:
        post_id = post.merged_into_id
    return post


def followed(post_ids: Sequence[int]) -> list[int]:
    """Return the ids with merged posts replaced by the posts that remain, each once.

    At least one query.
    """
    remaining = survivors(post_ids)
    ids = (remaining[pk].pk if pk in remaining else pk for pk in post_ids)
    return list(dict.fromkeys(ids))


def sources(post: Post) -> list[int]:
    """Return the ids of all posts that were merged into a post, directly or in a chain.

    One query if there are none.
    """
    found: list[int] = []
    level = [post.pk]
    while level:
        merged = Post.objects.filter(merged_into__in=level)
        level = list(merged.values_list("pk", flat=True))
        found += level
    return found


def with_absorbs(posts: QuerySet[Post]) -> QuerySet[Post]:
    """Annotate posts with `absorbs`: whether other posts were merged into the post."""
    return posts.annotate(absorbs=Exists(Post.objects.filter(merged_into=OuterRef("pk"))))


def is_saved_by_merge(post: Post, user_id: int) -> bool:
    """Return whether a person saved a post that was merged into this post.

    Without merges, one query; none if the post is from `with_absorbs`.
    """
    merged = sources(post) if getattr(post, "absorbs", True) else []
    marks = Mark.objects.filter(user_id=user_id, kind=Mark.Kind.SAVED, post__in=merged)
    return bool(merged) and marks.exists()


def with_merged(post_ids: Sequence[int], rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows of these posts, in order. Rows of merged posts lead to the posts that remain.

    `rows` has the rows of the visible posts. Without missing rows, no query; otherwise one, and at
    least three more if some of the posts were merged.
    """
    known = {row.id: row for row in rows}
    missing = [post_id for post_id in post_ids if post_id not in known]
    remaining = survivors(missing) if missing else {}
    if remaining:
        posts = post_cards.with_cards(Post.objects.all()).prefetch_related("groups")
        found = posts.defer(*TEXTS).in_bulk(remaining)
        known |= {pk: sql_row(post, merged_into=remaining[pk]) for pk, post in found.items()}
    return tuple(known[post_id] for post_id in post_ids if post_id in known)
