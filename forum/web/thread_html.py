"""Renders the comments of a thread as nested lists."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.actions.sentences import why_withheld
from forum.models import Post
from forum.queries.comment_tree import MOST_LEVELS
from forum.queries.role_marks import of_person
from forum.queries.threads import CommentRow, ThreadComment, ThreadPage
from forum.web import ages, comment_html, folding, person_labels
from forum.web.comment_html import (
    CommentView,
    CommentVotes,
    Fresh,
    ViewContext,
    arrows_of,
    note_of,
    visible_tally,
)
from forum.web.placeholders import BODY, NEWER, NEXT
from voting.types.comments import Sort

REPLIES, END_REPLIES = '<ol class="replies">', "</ol>"
BEGIN, END = "<li><details open>", "</details></li>"


def render_thread(page: ThreadPage, context: ViewContext) -> SafeString:
    """Render the comments of a page as nested lists; "" without comments."""
    return _nested(page, page.comments, context)


def render_question_comments(page: ThreadPage, context: ViewContext) -> SafeString:
    """Render the comments on a question itself as nested lists; "" without comments."""
    return _nested(page, page.question_comments, context)


def render_focus(page: ThreadPage, comment: ThreadComment, context: ViewContext) -> SafeString:
    """Render the `<article>` of the comment that the page is about."""
    html = _article(page, comment, context, {}, focus=True)
    return SafeString(person_labels.beside_names(html, context.viewer))


def new_ids(page: ThreadPage, context: ViewContext) -> list[int]:
    """Return the ids of comments that are new since the viewer's last visit, in page order."""
    shown = (*page.question_comments, *page.comments)
    return [comment.row.id for comment in shown if _is_new(comment.row, context)]


def _nested(
    page: ThreadPage, comments: Sequence[ThreadComment], context: ViewContext
) -> SafeString:
    if not comments:
        return SafeString("")
    html = "".join((REPLIES, *_pieces(page, comments, context), END_REPLIES))
    return SafeString(person_labels.beside_names(html, context.viewer))


def _pieces(
    page: ThreadPage, comments: Sequence[ThreadComment], context: ViewContext
) -> Iterator[str]:
    """Yield the HTML of comments, and the tags that open and close lists as the depth changes."""
    language = get_language() or ""
    open_ends: list[str] = []
    newer = _newer(page, context)
    new = _new_in_branches(comments, newer)
    for comment in comments:
        place, row = comment.place, comment.row
        if 0 < place.depth == len(open_ends):
            yield REPLIES
        yield from _close(open_ends, place.depth)
        yield BEGIN + comment_html.render_summary(
            "" if row.deleted_at else row.author,
            place.replies,
            language,
            answer=row.is_answer,
            accepted=page.post.accepted_id == row.id,
            new=new[row.id],
        )
        html = _article(page, comment, context, newer)
        yield folding.fold_comment(html, row.author, language) if _folds(row, context) else html
        deep = place.depth + 1 == MOST_LEVELS
        more = comment_html.render_more_link(page.post.pk, place.id, place.hidden, deep, language)
        open_ends.append(more)
    yield from _close(open_ends, 0)


def _close(open_ends: list[str], depth: int) -> Iterator[str]:
    """Yield the closing tags of open comments, until only `depth` comments are open."""
    while len(open_ends) > depth:
        yield open_ends.pop() + END
        if len(open_ends) > depth:
            yield END_REPLIES


def _newer(page: ThreadPage, context: ViewContext) -> dict[int, int]:
    """Map each new comment to the new comment that follows on the page; the last to 0."""
    new = new_ids(page, context)
    return dict(zip(new, [*new[1:], 0], strict=True)) if new else {}


def _new_in_branches(
    comments: Sequence[ThreadComment], newer: Mapping[int, int]
) -> Counter[int | None]:
    """Count the new comments among each comment and its replies on the page."""
    counts = Counter[int | None](newer.keys())
    for comment in reversed(comments if newer else ()):  # replies come before their parents
        counts[comment.place.parent_id] += counts[comment.row.id]
    return counts


def _article(
    page: ThreadPage,
    comment: ThreadComment,
    context: ViewContext,
    newer: Mapping[int, int],
    *,
    focus: bool = False,
) -> str:
    follower = newer.get(comment.row.id)
    fresh = Fresh.NO if follower is None else Fresh.YES if follower else Fresh.LAST
    view = _view(page, comment, context, fresh, focus)
    html = comment_html.render_comment(view, get_language() or "")
    if fresh is Fresh.YES:
        html = html.replace(NEWER, str(follower))
    body = comment.row.body_html if view.shows_text else ""
    return html.replace(NEXT, context.next_url).replace(BODY, body)


def _view(
    page: ThreadPage, comment: ThreadComment, context: ViewContext, fresh: Fresh, focus: bool
) -> CommentView:
    post, row, place, tally = page.post, comment.row, comment.place, comment.tally
    posted_at = int(row.created_at.timestamp())
    up, down = (tally.up, tally.down) if tally else (row.up, row.down)
    shown = visible_tally(up, down, posted_at)
    arrows, note = arrows_of(tally, context), note_of(comment, context)
    own = row.author_id == context.viewer_id
    return CommentView(
        votes=CommentVotes(post.pk, row.id, row.author, *shown, comment.vote, arrows, note),
        posted_at=posted_at,
        age=_age(row.created_at, context.now),
        edited=_age(row.edited_at, context.now) if row.edited_at else None,
        parent=_parent(post.pk, place.parent_id, focus),
        next_id=None if focus else place.next_id,
        deleted=row.deleted_at is not None,
        why_withheld=why_withheld(row.withheld, comment.withheld_by) if row.withheld else "",
        shows_text=row.deleted_at is None or (bool(row.withheld) and (own or context.moderates)),
        may_edit=own,
        may_moderate=context.moderates and (row.deleted_at is None or bool(row.withheld)),
        post_deleted=post.deleted_at is not None,
        by_poster=row.author_id == post.author_id,
        question=post.kind == Post.Kind.QUESTION,
        answer=row.is_answer,
        accepted=post.accepted_id == row.id,
        may_accept=row.is_answer and context.viewer_id == post.author_id,
        fresh=fresh,
        saved=row.saved if context.viewer and not own else None,
        focus=focus,
        sort="" if page.sort is Sort.BEST else page.sort,
        flags=context.flags.get(row.id),
        mark=of_person(row.author_id, context.groups),
    )


def _folds(row: CommentRow, context: ViewContext) -> bool:
    return context.blocks(row.author) and row.deleted_at is None


def _is_new(row: CommentRow, context: ViewContext) -> bool:
    if context.seen_at is None or row.deleted_at or row.author_id == context.viewer_id:
        return False
    return not context.blocks(row.author) and row.created_at.timestamp() > context.seen_at


def _age(moment: datetime, now: int) -> int:
    return ages.bucket(now - int(moment.timestamp()))


def _parent(post_id: int, parent_id: int | None, focus: bool) -> str:
    if parent_id is None:
        return ""
    return reverse("comment", args=[post_id, parent_id]) if focus else f"#comment-{parent_id}"
