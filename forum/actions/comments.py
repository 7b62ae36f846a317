"""Submitting, editing, deleting and accepting comments.

Each change is one SQL transaction with an outbox row. The transaction first locks the row of the
comment's post. So counts are exact, and later comments on a post always have higher ids.
"""

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from forum.actions import edit_conflicts, notifications, visibility
from forum.actions.posts import UNMARKED
from forum.actions.rule_checks import Screening
from forum.actions.rules import FINE
from forum.actions.verdicts import carry_out, fields_of, hold, in_thread
from forum.errors import AlreadySent, Gone
from forum.identity import permissions
from forum.identity.throttle import subject_of, throttle, throttled
from forum.ledger.counters import AuthorSync
from forum.models import Comment, Post, Revision, User, Withheld
from forum.queries.people import find_names
from forum.queries.repeated_posts import sent_comment
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.text import markup, search_text
from voting.errors import Throttled

log = structlog.get_logger()


def submit(
    *, author: User, post: Post, parent: Comment | None, body: str, on_question: bool = False
) -> Comment:
    """Write a comment with `write`, after checking the author's bans and rate limit.

    Automatic rules apply. Raises Banned, Gone, Locked, RefusedByRule, AlreadySent or Throttled.
    Raises StoreUnavailable if Redis is unavailable.
    """
    permissions.require_may_write_in(author, post)
    try:
        with throttled(subject_of(author), "comment", body):
            return write(
                author=author,
                post=post,
                parent=parent,
                body=body,
                on_question=on_question,
                screening=Screening(author),
            )
    except Throttled as error:
        sent = sent_comment(author, post, parent, body, on_question=on_question)
        if sent:
            raise AlreadySent(sent, error.retry_after_seconds) from error
        raise


def write(
    *,
    author: User,
    post: Post,
    parent: Comment | None,
    body: str,
    on_question: bool = False,
    screening: Screening | None = None,
) -> Comment:
    """Write a reply to a post or comment. The author's rate limit doesn't apply.

    The reply begins with the author's own up vote. A direct reply to a question is an answer; with
    `on_question`, it is an ordinary comment. Raises Gone if the post or the parent was deleted.

    With a `screening`, this checks the reply: it raises Locked if the thread is locked for the
    author, and RefusedByRule if a rule refuses the reply. A rule may also hold the reply for
    approval.
    """
    text = markup.read(body, find_names)
    verdict = screening.check_comment(post, body, text.html) if screening else FINE
    with transaction.atomic():
        current = _locked(post)
        if screening:
            permissions.require_open_thread(author, current)
            verdict = in_thread(current, author, verdict)
        if parent is not None and not _visible(current).filter(pk=parent.pk).exists():
            raise Gone(parent)
        comment = Comment.objects.create(
            post=post,
            parent=parent,
            is_answer=parent is None and post.kind == Post.Kind.QUESTION and not on_question,
            author=author,
            **_texts(body, text.html),
            created_at=timezone.now().replace(microsecond=0),
            up=1,
            **fields_of(verdict),
        )
        carry_out(comment, verdict)
        if verdict.holds:
            _save(current, post)
            outbox.add(PostSync(post.pk))
        else:
            _count_new(comment, current, post)
            notifications.comment_written(comment, text.notified)
    return comment


def _texts(body: str, html: str) -> dict[str, str]:
    """Return the three text fields of a comment: Markdown, HTML and the text for search."""
    return {"body": body, "body_html": html, "search_text": search_text.of_comment(html)}


def _count_new(comment: Comment, current: Post, post: Post) -> None:
    """Save a post's new comment count and newest comment; sync the post and comment to Redis."""
    current.comment_count += 1
    current.commented_at, current.last_comment = comment.created_at, comment
    _save(current, post, "comment_count", "commented_at", "last_comment")
    outbox.add(PostSync(post.pk, comment.pk), AuthorSync([comment.author_id]))


def edit(comment: Comment, *, by: User, body: str, seen: str = "") -> None:
    """Change the text of the author's own comment, after checking bans and the rate limit.

    An edit that changes nothing doesn't count for the limit. Raises Banned, Forbidden,
    EditConflict, Gone, RefusedByRule or Throttled. Raises StoreUnavailable if Redis is unavailable.
    """
    permissions.require_author(by, comment)
    permissions.require_may_write_in(by, comment.post)
    if body != comment.body:
        edit_conflicts.check(comment, seen)
        throttle(subject_of(by), "edit")
    change(comment, body, seen, screening=Screening(by) if body != comment.body else None)


def change(
    comment: Comment, body: str, seen: str = "", *, screening: Screening | None = None
) -> None:
    """Change the text of a comment.

    Saves the old text as a revision, unless the comment is younger than `UNMARKED`. Raises Gone if
    the comment was deleted, and EditConflict if `seen` isn't the fingerprint of the current text.

    With a `screening`, automatic rules apply. Raises RefusedByRule if a rule refuses the text. A
    rule may also hide the comment until moderators approve it.
    """
    text = markup.read(body, find_names)
    verdict = screening.check_comment(comment.post, body, text.html) if screening else FINE
    names = () if verdict.holds else notifications.newly_mentioned(comment, text.notified)
    with transaction.atomic():
        _locked(comment.post)
        current = Comment.objects.locked(comment.pk)
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
        current.search_text = search_text.of_comment(text.html)
        current.version += 1
        current.save(update_fields=["body", "body_html", "search_text", "version", "edited_at"])
        outbox.add(PostSync(current.post_id, current.pk))
        notifications.mentions_written(current, names)
        if verdict.holds:
            visibility.withhold(current, Withheld.HIDDEN, hold(current, verdict))
        else:
            carry_out(current, verdict)
    comment.body, comment.body_html = current.body, current.body_html
    comment.version, comment.edited_at = current.version, current.edited_at
    comment.deleted_at, comment.withheld = current.deleted_at, current.withheld


def delete(comment: Comment, by: User) -> None:
    """Delete a comment as its author. The row, votes and replies stay. Safe to repeat.

    If the comment was the accepted answer, the question then has no accepted answer. Raises
    Forbidden if `by` isn't the author.
    """
    permissions.require_author(by, comment)
    visibility.withhold(comment)
    log.info("comment deleted", comment_id=comment.pk, by=by.pk)


@transaction.atomic
def accept(post: Post, comment: Comment | None, *, by: User) -> None:
    """Accept a comment as the answer to a question, or no answer if `comment` is None.

    Raises Forbidden if `by` isn't the author of the question, and Banned if `by` is banned. Raises
    Gone if the question has no such answer.
    """
    permissions.require_asker(by, post)
    permissions.require_may_write_in(by, post)
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
    """Lock a post's row until the transaction ends, and return the current row.

    Raises Gone if the post was deleted.
    """
    current = Post.objects.locked(post.pk)
    if current.deleted_at:
        raise Gone(current)
    return current


def _visible(post: Post) -> QuerySet[Comment]:
    return Comment.objects.visible().filter(post=post)


def _save(current: Post, post: Post, *changed: str) -> None:
    """Increase the version of a post, and save the version and the `changed` fields.

    `current` is the post's locked row. The saved values are copied to `post`, the caller's object.
    """
    current.version += 1
    current.save(update_fields=[*changed, "version"])
    for name in (*changed, "version"):
        setattr(post, name, getattr(current, name))
