"""Hides posts and comments from readers, and makes them visible again.

Everything that changes visibility uses these functions: authors who delete, moderators, rules and
bulk actions. A single comment is a batch of one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from forum.actions import notifications
from forum.ledger.counters import AuthorSync
from forum.models import Comment, ModAction, Post
from forum.models.managers import TEXTS
from forum.store import outbox
from forum.store.post_sync import PostSync

WITHHELD = ("deleted_at", "withheld", "withheld_by")
"""The fields that say whether a post or comment is visible and, if not, why."""
THREAD = ("comment_count", "last_comment_id", "commented_at", "accepted_id", "version")
"""The fields of a post that depend on which of its comments are visible."""

Content = Post | Comment


def lock(text: Content) -> None:
    """Lock a post, or a comment's post, until the transaction ends.

    Also reloads from SQL whether the post or comment is visible.
    """
    post_id = text.post_id if isinstance(text, Comment) else text.pk
    Post.objects.only("pk").locked(post_id)
    text.refresh_from_db(fields=list(WITHHELD))


def lock_comments(comment_ids: Collection[int]) -> list[Comment]:
    """Lock comments and their posts until the transaction ends; return the comments, ordered by id.

    The comments of a thread share one post object.
    """
    rows = Comment.objects.filter(pk__in=comment_ids)
    posts = _lock_posts(rows.values("post_id"))
    comments = list(rows.select_for_update(no_key=True).defer(*TEXTS).order_by("pk"))
    moved = {comment.post_id for comment in comments} - posts.keys()
    if moved:  # a merge ended while this waited for the lock
        posts |= _lock_posts(moved)
    for comment in comments:
        comment.post = posts[comment.post_id]
    return comments


def _lock_posts(post_ids: Iterable[Any]) -> dict[int, Post]:
    posts = Post.objects.select_for_update(no_key=True).filter(pk__in=post_ids).order_by("pk")
    return {post.pk: post for post in posts.defer(*TEXTS)}


def _lock_current(text: Content) -> Content:
    """Lock a post, or a comment and its post, and return its current row."""
    if isinstance(text, Comment):
        return lock_comments([text.pk])[0]
    return Post.objects.defer(*TEXTS).locked(text.pk)


@transaction.atomic
def withhold(text: Content, state: str = "", action: ModAction | None = None) -> None:
    """Hide a post or comment from readers.

    `state` is the reason (a value of `Withheld`), or "" if the author deleted the post or comment.
    `action` is the moderation action that hides it, if any. If the post or comment is invisible
    already, only saves these two values; a deletion then changes nothing. If the comment was the
    accepted answer, the question then has no accepted answer.
    """
    row = _lock_current(text)
    if row.deleted_at and state:
        row.withheld, row.withheld_by = state, action
        row.save(update_fields=["withheld", "withheld_by"])
    elif not row.deleted_at:
        if isinstance(row, Comment):
            withhold_comments([row], state, {row.pk: action})
        else:
            row.deleted_at, row.withheld, row.withheld_by = timezone.now(), state, action
            _save_post(row)
            notifications.text_deleted(row)
    _copy_state(row, text)


def withhold_comments(
    comments: Sequence[Comment], state: str, actions: Mapping[int, ModAction | None]
) -> None:
    """Hide visible comments that `lock_comments` returned.

    `actions` maps the id of each comment to the moderation action that hides it, if any. An action
    that hides an accepted answer records that, so that an undo accepts the answer again.
    """
    now, unaccepted = timezone.now(), []
    for comment in comments:
        post, action = comment.post, actions[comment.pk]
        comment.deleted_at, comment.withheld, comment.withheld_by = now, state, action
        post.comment_count -= 1
        if post.accepted_id == comment.pk:
            post.accepted = None
            if action is not None:
                action.details["accepted"] = True
                unaccepted.append(action)
    if unaccepted:
        ModAction.objects.bulk_update(unaccepted, ["details"])
    _save_comments(comments)
    hidden = {comment.pk for comment in comments}
    posts = _posts_of(comments)
    _find_last([post for post in posts if post.last_comment_id in hidden])
    _save_threads(posts)
    notifications.comments_deleted(comments, now)


def was_accepted(text: Content) -> bool:
    """Return whether a comment was an accepted answer until an action hid it."""
    return bool(text.withheld_by and text.withheld_by.details.get("accepted"))


@transaction.atomic
def release(text: Content, *, accepted: bool = False) -> None:
    """Make a post or comment visible to readers again, with its votes. Safe to repeat.

    If `accepted` is True, the comment also becomes the accepted answer again, unless another answer
    was accepted meanwhile.
    """
    row = _lock_current(text)
    deleted_at = row.deleted_at
    if deleted_at is not None:
        if isinstance(row, Comment):
            release_comments([row], [row.pk] if accepted else [])
        else:
            row.deleted_at, row.withheld, row.withheld_by = None, "", None
            _save_post(row)
            notifications.text_restored(row, deleted_at)
    _copy_state(row, text)


def release_comments(comments: Sequence[Comment], accepted: Collection[int]) -> None:
    """Make hidden comments that `lock_comments` returned visible to readers again.

    Those with ids in `accepted` become accepted answers again, unless another answer was accepted
    meanwhile.
    """
    times: dict[datetime, list[Comment]] = {}
    for comment in comments:
        if comment.deleted_at is not None:
            times.setdefault(comment.deleted_at, []).append(comment)
        comment.deleted_at, comment.withheld, comment.withheld_by = None, "", None
        post = comment.post
        post.comment_count += 1
        if comment.pk > (post.last_comment_id or 0):
            post.last_comment, post.commented_at = comment, comment.created_at
        if comment.pk in accepted and post.accepted_id is None:
            post.accepted = comment
    _save_comments(comments)
    _save_threads(_posts_of(comments))
    for deleted_at, some in times.items():
        notifications.comments_restored(some, deleted_at)


def recount_thread(post: Post) -> None:
    """Count a post's visible comments again, and find the newest one; save both.

    Call this in a merge of posts, after locking the post's row. If the merge moved the accepted
    answer to another post, this post then has no accepted answer.
    """
    post.comment_count = Comment.objects.visible().filter(post=post).count()
    _find_last([post])
    accepted = post.accepted
    if accepted and not post.merged_into_id and accepted.post_id != post.pk:
        post.accepted = None
    _save_threads([post])
    outbox.add(PostSync(post.pk))


def _posts_of(comments: Iterable[Comment]) -> list[Post]:
    return list({comment.post_id: comment.post for comment in comments}.values())


def _find_last(posts: Iterable[Post]) -> None:
    """Set each post's fields about its newest visible comment, without saving the post."""
    changed = {post.pk: post for post in posts}
    if not changed:
        return
    newest = Comment.objects.visible().filter(post=OuterRef("pk")).order_by("-pk")
    rows = Post.objects.filter(pk__in=changed).annotate(
        newest=Subquery(newest.values("pk")[:1]),
        newest_at=Subquery(newest.values("created_at")[:1]),
    )
    for pk, comment_id, created_at in rows.values_list("pk", "newest", "newest_at"):
        changed[pk].last_comment_id, changed[pk].commented_at = comment_id, created_at


def _save_post(post: Post) -> None:
    """Save whether a post is visible, and sync the post and its author's counts to Redis."""
    post.version += 1
    post.save(update_fields=[*WITHHELD, "version"])
    outbox.add(AuthorSync([post.author_id]), PostSync(post.pk))


def _save_comments(comments: Sequence[Comment]) -> None:
    """Save whether comments are visible; sync them, their posts and authors' counts to Redis."""
    for comment in comments:
        comment.version += 1
    Comment.objects.bulk_update(comments, [*WITHHELD, "version"])
    authors = sorted({comment.author_id for comment in comments})
    syncs = (PostSync(comment.post_id, comment.pk) for comment in comments)
    outbox.add(*syncs, AuthorSync(authors))


def _save_threads(posts: Collection[Post]) -> None:
    """Save the fields of posts that depend on which of their comments are visible."""
    for post in posts:
        post.version += 1
    Post.objects.bulk_update(posts, [name.removesuffix("_id") for name in THREAD])


def _copy_state(row: Content, text: Content) -> None:
    """Copy visibility and version, and the fields of a comment's post, from `row` to `text`."""
    for name in (*WITHHELD, "version"):
        setattr(text, name, getattr(row, name))
    if isinstance(row, Comment) and isinstance(text, Comment):
        if text.post_id != row.post_id:
            text.post = row.post
        for name in THREAD:
            setattr(text.post, name, getattr(row.post, name))
