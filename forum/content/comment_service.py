"""Submitting, editing, deleting and accepting comments.

Each change is one SQL transaction with an outbox row, as for posts. It locks the post's row first,
so that counts are exact and the ids of a post's comments grow in the order of their commits.
"""

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from forum import permissions
from forum.content import edit_conflicts, staff_log
from forum.content.post_service import UNMARKED
from forum.content.post_sync import PostSync
from forum.errors import AlreadySent, Gone
from forum.inbox import notifications
from forum.ledger.counters import AuthorSync
from forum.models import Comment, Post, Revision, User
from forum.queries.people import find_names
from forum.queries.repeated_posts import sent_comment
from forum.sync import outbox
from forum.text import markup
from forum.throttling.throttle import subject_of, throttle, throttled
from voting.errors import Throttled

LAST = ("commented_at", "last_comment")
"""The fields of a post that describe its newest comment."""
log = structlog.get_logger()


def submit(
    *, author: User, post: Post, parent: Comment | None, body: str, on_question: bool = False
) -> Comment:
    """Write a comment that a person submits, within their rate limit. See `write`.

    One round trip more than `write`. Raises Gone, AlreadySent, Throttled and, if Redis can't count
    the attempt, StoreUnavailable.
    """
    try:
        with throttled(subject_of(author), "comment", body):
            return write(
                author=author, post=post, parent=parent, body=body, on_question=on_question
            )
    except Throttled as error:
        if error.repeated:
            sent = sent_comment(author, post, parent, body, on_question=on_question)
            if sent:
                raise AlreadySent(sent, error.retry_after_seconds) from error
        raise


def write(
    *, author: User, post: Post, parent: Comment | None, body: str, on_question: bool = False
) -> Comment:
    """Write a reply to a post or comment, ignoring the author's rate limit. Updates `post`.

    The author's own up vote counts. A reply to a question is an answer, unless it is a comment
    `on_question`. Raises Gone if the post or the parent was deleted.
    """
    text = markup.read(body, find_names)
    with transaction.atomic():
        current = _locked(post)
        if parent is not None and not _visible(current).filter(pk=parent.pk).exists():
            raise Gone(parent)
        now = timezone.now().replace(microsecond=0)
        comment = Comment.objects.create(
            post=post,
            parent=parent,
            is_answer=parent is None and post.kind == Post.Kind.QUESTION and not on_question,
            author=author,
            body=body,
            body_html=text.html,
            created_at=now,
            up=1,
        )
        current.comment_count += 1
        current.commented_at, current.last_comment = now, comment
        _save(current, post, "comment_count", *LAST)
        outbox.add(PostSync(post.pk, comment.pk), AuthorSync([author.pk]))
        notifications.comment_written(comment, text.notified)
    return comment


def edit(comment: Comment, *, by: User, body: str, seen: str = "") -> None:
    """Edit a comment as its author, within their rate limit. See `change`.

    Raises Forbidden, EditConflict, Gone, Throttled and, if Redis can't count the attempt,
    StoreUnavailable. An edit that changes nothing doesn't count for the limit.
    """
    permissions.require_author(by, comment)
    if body != comment.body:
        edit_conflicts.check(comment, seen)
        throttle(subject_of(by), "edit")
    change(comment, body, seen)


def change(comment: Comment, body: str, seen: str = "") -> None:
    """Change the text of a comment. The old text becomes a revision, except within `UNMARKED`.

    Raises Gone. Raises EditConflict if the current text isn't the one that `seen` is a fingerprint
    of.
    """
    text = markup.read(body, find_names)
    names = notifications.newly_mentioned(comment, text.notified)
    with transaction.atomic():
        _locked(comment.post)
        current = Comment.objects.select_for_update(no_key=True).get(pk=comment.pk)
        if current.deleted_at:
            raise Gone(current)
        if current.body == body:
            return
        edit_conflicts.check(current, seen)
        now = timezone.now()
        if now - current.created_at > UNMARKED:
            old = {"post_id": current.post_id, "comment": current, "body": current.body}
            Revision.objects.create(until=now, **old)
            current.edited_at = now
        current.body, current.body_html = body, text.html
        current.version += 1
        current.save(update_fields=["body", "body_html", "version", "edited_at"])
        outbox.add(PostSync(current.post_id, current.pk))
        notifications.mentions_written(current, names)
    comment.body, comment.body_html = current.body, current.body_html
    comment.version, comment.edited_at = current.version, current.edited_at


def delete(comment: Comment, by: User) -> None:
    """Delete a comment as its author or staff. Its row, votes and replies stay. Safe to repeat.

    If it was the accepted answer, the question then has none. Logged if staff do it. Raises
    Forbidden.
    """
    permissions.require_removal(by, comment)
    post = comment.post
    with transaction.atomic():
        current = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
        deleted = Comment.objects.select_for_update(no_key=True).get(pk=comment.pk)
        if deleted.deleted_at is None:
            deleted.deleted_at = timezone.now()
            deleted.version += 1
            deleted.save(update_fields=["deleted_at", "version"])
            current.comment_count -= 1
            _find_last(current)
            if current.accepted_id == deleted.pk:
                current.accepted = None
            _save(current, post, "comment_count", *LAST, "accepted")
            outbox.add(PostSync(post.pk, deleted.pk), AuthorSync([deleted.author_id]))
            notifications.comment_deleted(deleted)
            staff_log.deleted(by, deleted)
            log.info("comment deleted", comment_id=deleted.pk, by=by.pk)
    comment.deleted_at, comment.version = deleted.deleted_at, deleted.version


def undelete(comment: Comment, by: User) -> None:
    """Restore a deleted comment with its votes, as staff. Safe to repeat. Logged.

    An answer that was accepted before its deletion isn't accepted again. Raises Forbidden.
    """
    permissions.require_staff(by)
    post = comment.post
    with transaction.atomic():
        current = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
        found = Comment.objects.select_for_update(no_key=True).get(pk=comment.pk)
        if found.deleted_at is not None:
            found.deleted_at = None
            found.version += 1
            found.save(update_fields=["deleted_at", "version"])
            current.comment_count += 1
            _find_last(current)
            _save(current, post, "comment_count", *LAST)
            outbox.add(PostSync(post.pk, found.pk), AuthorSync([found.author_id]))
            staff_log.changed(by, [found], _("Restored."))
    comment.deleted_at, comment.version = found.deleted_at, found.version


@transaction.atomic
def accept(post: Post, comment: Comment | None, *, by: User) -> None:
    """Accept an answer as the person who asked; it replaces any other. None accepts no answer.

    Listings then show that the question is answered. Raises Forbidden, and Gone if there is no such
    answer.
    """
    permissions.require_asker(by, post)
    current = _locked(post)
    answers = _visible(current).filter(is_answer=True)
    if comment is not None and not answers.filter(pk=comment.pk).exists():
        raise Gone(comment)
    before, current.accepted = current.accepted, comment
    _save(current, post, "accepted")
    outbox.add(PostSync(post.pk))
    if before is not None and before != comment:
        notifications.acceptance_ended(before)
    if comment is not None:
        notifications.accepted(current, comment)


def _locked(post: Post) -> Post:
    """Lock a post, and so its thread, and return the post's current row. Raises Gone."""
    current = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
    if current.deleted_at:
        raise Gone(current)
    return current


def _visible(post: Post) -> QuerySet[Comment]:
    return Comment.objects.visible().filter(post=post)


def _find_last(post: Post) -> None:
    """Set the post's fields for its newest visible comment and that comment's time. One query."""
    last = _visible(post).order_by("-pk").first()
    post.last_comment, post.commented_at = last, last.created_at if last else None


def _save(current: Post, post: Post, *changed: str) -> None:
    """Save the named fields of a post with its next version; copy them to the caller's `post`."""
    current.version += 1
    current.save(update_fields=[*changed, "version"])
    for name in (*changed, "version"):
        setattr(post, name, getattr(current, name))
