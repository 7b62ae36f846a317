"""Writing comments. SQL decides, in one transaction with an outbox row (`forum.sync.outbox`).

Whatever changes a thread takes its post's row first, so that counts are exact and the ids of a
post's comments grow in the order in which they are committed.
"""

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.content import edit_conflicts, staff_log
from forum.content.post_service import UNMARKED, Gone, PostSync
from forum.inbox import notices
from forum.ledger.counters import AuthorSync
from forum.models import Comment, Post, Revision, User
from forum.queries.people import spelt
from forum.sync import outbox
from forum.text import markup

LAST = ("commented_at", "last_comment")
"""What a post says of its newest comment."""
log = structlog.get_logger()


def write(
    *, author: User, post: Post, parent: Comment | None, body: str, on_question: bool = False
) -> Comment:
    """Write a reply to a post, or to one of its comments. The author's own up vote counts.

    A reply to a question is an answer, unless it is only a comment `on_question`. Raises Gone if
    the post or the parent was deleted. Brings `post` up to date.
    """
    text = markup.read(body, spelt)
    with transaction.atomic():
        current = _locked(post)
        if parent is not None and not _shown(current).filter(pk=parent.pk).exists():
            raise Gone
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
        notices.comment_written(comment, text.notified)
    return comment


def edit(comment: Comment, body: str, seen: str = "") -> None:
    """Change what a comment says; what it said is kept, but for a slip that is mended at once.

    Raises Gone where it or its post was deleted, Overtaken where it is not what was `seen` of it.
    """
    text = markup.read(body, spelt)
    names = notices.newly_mentioned(comment, text.notified)
    with transaction.atomic():
        _locked(comment.post)
        said = Comment.objects.select_for_update(no_key=True).get(pk=comment.pk)
        if said.deleted_at:
            raise Gone
        if said.body == body:
            return
        edit_conflicts.check(said, seen)
        now = timezone.now()
        if now - said.created_at > UNMARKED:
            Revision.objects.create(post_id=said.post_id, comment=said, body=said.body, until=now)
            said.edited_at = now
        said.body, said.body_html = body, text.html
        said.version += 1
        said.save(update_fields=["body", "body_html", "version", "edited_at"])
        outbox.add(PostSync(said.post_id, said.pk))
        notices.mentions_written(said, names)
    comment.body, comment.body_html = said.body, said.body_html
    comment.version, comment.edited_at = said.version, said.edited_at


def delete(comment: Comment, by: User) -> None:
    """Take back what a comment says; replies to it stay where they are. Repeating it is harmless.

    Its row stays with its votes; a post that had accepted it has accepted nothing. It is noted if
    staff do it.
    """
    post = comment.post
    with transaction.atomic():
        current = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
        gone = Comment.objects.select_for_update(no_key=True).get(pk=comment.pk)
        if gone.deleted_at is None:
            gone.deleted_at = timezone.now()
            gone.version += 1
            gone.save(update_fields=["deleted_at", "version"])
            current.comment_count -= 1
            _find_last(current)
            if current.accepted_id == gone.pk:
                current.accepted = None
            _save(current, post, "comment_count", *LAST, "accepted")
            outbox.add(PostSync(post.pk, gone.pk), AuthorSync([gone.author_id]))
            notices.comment_deleted(gone)
            staff_log.deleted(by, gone)
            log.info("comment deleted", comment_id=gone.pk, by=by.pk)
    comment.deleted_at, comment.version = gone.deleted_at, gone.version


def undelete(comment: Comment, by: User) -> None:
    """Restore a deleted comment with its votes. Repeating it is harmless.

    An answer that was accepted before is not accepted again. It is logged if staff do it.
    """
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
def accept(post: Post, comment: Comment | None) -> None:
    """Accept an answer instead of any other for the person who asked; None accepts nothing.

    Lists show that a question is answered. Raises Gone if there is no such answer.
    """
    current = _locked(post)
    answers = _shown(current).filter(is_answer=True)
    if comment is not None and not answers.filter(pk=comment.pk).exists():
        raise Gone
    before, current.accepted = current.accepted, comment
    _save(current, post, "accepted")
    outbox.add(PostSync(post.pk))
    if before is not None and before != comment:
        notices.acceptance_ended(before)
    if comment is not None:
        notices.accepted(current, comment)


def _locked(post: Post) -> Post:
    """Return a post as it is now, and keep others from changing its thread. Raises Gone."""
    current = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
    if current.deleted_at:
        raise Gone
    return current


def _shown(post: Post) -> QuerySet[Comment]:
    return Comment.objects.visible().filter(post=post)


def _find_last(post: Post) -> None:
    """Set which is the newest visible comment of a post, and its time. One query."""
    last = _shown(post).order_by("-pk").first()
    post.last_comment, post.commented_at = last, last.created_at if last else None


def _save(current: Post, post: Post, *changed: str) -> None:
    """Save the named fields with the next version, and show them on the caller's `post`."""
    current.version += 1
    current.save(update_fields=[*changed, "version"])
    for name in (*changed, "version"):
        setattr(post, name, getattr(current, name))
