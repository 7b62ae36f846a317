"""Hides many comments, or makes them visible again, with a constant number of queries.

Bulk actions use this. The result is the same as if `comment_service.withhold` or
`comment_service.release` were called for each comment.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from forum.content.post_service import WITHHELD
from forum.content.post_sync import PostSync
from forum.inbox import notifications
from forum.ledger.counters import AuthorSync
from forum.models import Comment, ModAction, Post, Withheld
from forum.models.managers import TEXTS
from forum.sync import outbox

THREAD = ("comment_count", "last_comment", "commented_at", "accepted", "version")
"""The fields of a post that depend on which of its comments are visible."""


def lock(comment_ids: Collection[int]) -> list[Comment]:
    """Lock comments and their posts until the transaction ends; return the comments, ordered by id.

    Leaves out comments that are being moved to another post. Three queries.
    """
    found = Comment.objects.filter(pk__in=comment_ids)
    post_ids = set(found.values_list("post_id", flat=True))
    posts = Post.objects.select_for_update(no_key=True).filter(pk__in=post_ids).order_by("pk")
    threads = {post.pk: post for post in posts.defer(*TEXTS)}
    locked = found.select_for_update(no_key=True).defer(*TEXTS).order_by("pk")
    comments = [comment for comment in locked if comment.post_id in threads]
    for comment in comments:
        comment.post = threads[comment.post_id]
    return comments


def withhold(comments: Sequence[Comment], actions: Mapping[int, ModAction]) -> None:
    """Hide visible comments, and mark them as removed by moderators. Nine queries at most.

    The comments must have been returned by `lock`. `actions` maps the id of each comment to the
    moderation action that removes it.
    """
    now = timezone.now()
    for comment in comments:
        comment.deleted_at, comment.withheld = now, Withheld.REMOVED
        comment.withheld_by = actions[comment.pk]
        comment.post.comment_count -= 1
        if comment.post.accepted_id == comment.pk:
            comment.post.accepted = None
    removed = {comment.pk for comment in comments}
    _find_last([post for post in _posts(comments) if post.last_comment_id in removed], removed)
    _save(comments)
    notifications.comments_deleted(comments, now)


def release(comments: Sequence[Comment], accepted: Collection[int]) -> None:
    """Show comments to readers again after moderators removed them.

    `comments` must come from `lock`. Those with ids in `accepted` become accepted answers again.
    Five queries, and three more for each distinct time at which the comments were removed.
    """
    times: dict[object, list[Comment]] = {}
    for comment in comments:
        times.setdefault(comment.deleted_at, []).append(comment)
        post = comment.post
        post.comment_count += 1
        if comment.pk > (post.last_comment_id or 0):
            post.last_comment, post.commented_at = comment, comment.created_at
        if comment.pk in accepted and post.accepted_id is None:
            post.accepted = comment
    for some in times.values():
        if some[0].deleted_at is not None:
            notifications.comments_restored(some, some[0].deleted_at)
    for comment in comments:
        comment.deleted_at, comment.withheld, comment.withheld_by = None, "", None
    _save(comments)


def _posts(comments: Iterable[Comment]) -> list[Post]:
    return list({comment.post_id: comment.post for comment in comments}.values())


def _find_last(posts: Iterable[Post], removed: Collection[int]) -> None:
    """Set each post's fields about its newest visible comment, without saving the post.

    Ignores comments with the ids `removed`. One query at most.
    """
    changed = {post.pk: post for post in posts}
    if not changed:
        return
    others = Comment.objects.visible().exclude(pk__in=removed)
    newest = others.filter(post=OuterRef("pk")).order_by("-pk")
    found = Post.objects.filter(pk__in=changed).annotate(
        newest=Subquery(newest.values("pk")[:1]),
        newest_at=Subquery(newest.values("created_at")[:1]),
    )
    for pk, comment_id, created_at in found.values_list("pk", "newest", "newest_at"):
        changed[pk].last_comment_id, changed[pk].commented_at = comment_id, created_at


def _save(comments: Sequence[Comment]) -> None:
    """Save comments and posts, increase their versions, and sync them to Redis. Three queries."""
    posts = _posts(comments)
    for post in posts:
        post.version += 1
    for comment in comments:
        comment.version += 1
    Comment.objects.bulk_update(comments, [*WITHHELD, "version"])
    Post.objects.bulk_update(posts, THREAD)
    authors = sorted({comment.author_id for comment in comments})
    outbox.add(*(PostSync(one.post_id, one.pk) for one in comments), AuthorSync(authors))
