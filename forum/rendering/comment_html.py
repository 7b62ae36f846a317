"""HTML of single comments, cached by everything that it depends on.

The text of a comment is not part of the cached HTML: a placeholder stands for it, and another for
the address of the page, to which a guest returns after log-in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from time import time
from typing import Any, NamedTuple
from urllib.parse import quote

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.identity.viewers import Viewer
from forum.queries.newest import FlatComment, FlatPage
from forum.rendering import ages, caches, folding
from forum.rendering.rows import NEXT, Arrows, with_sign
from voting.types import Ballot, Vote
from voting.types.comments import CommentTally

BODY = "\x1c"
"""Placeholder of a comment's text."""


@dataclass(frozen=True, slots=True)
class ViewContext:
    """The viewer of comments, the time, and the page."""

    viewer: Viewer | None
    next_url: str
    """Quoted address to which log-in returns."""
    now: int
    seen_at: int | None
    """When the viewer saw the page before (seconds since 1970)."""
    staff: bool
    """Whether the viewer may delete other people's comments."""

    @property
    def viewer_id(self) -> int | None:
        return self.viewer.id if self.viewer else None

    def blocks(self, author: str) -> bool:
        """Return whether the viewer blocked a person."""
        return self.viewer is not None and author in self.viewer.blocked


def view_context(
    viewer: Viewer | None, next_url: str, seen_at: int | None = None, *, staff: bool = False
) -> ViewContext:
    """Return the context of a page that is shown now."""
    return ViewContext(viewer, quote(next_url, safe="/"), int(time()), seen_at, staff)


class CommentVotes(NamedTuple):
    """What a comment shows of its votes."""

    post_id: int
    id: int
    author: str
    up: int
    down: int
    vote: Vote
    arrows: Arrows

    @property
    def points(self) -> int:
        return self.up - self.down

    @property
    def word(self) -> str:
        return self.vote.name.lower()

    @property
    def signed_points(self) -> str:
        return with_sign(self.points)


class CommentView(NamedTuple):
    """Everything that the HTML of a comment depends on, beside its text and the language."""

    votes: CommentVotes
    posted_at: int
    age: int
    """Bucket of its age (`ages.bucket`)."""
    edited: int | None
    """Bucket of the age of the last edit that is shown."""
    parent: str
    """Address of the parent comment; empty for a reply to the post."""
    next_id: int | None
    deleted: bool
    may_edit: bool
    may_delete: bool
    by_poster: bool
    """Whether the author of the post wrote it."""
    question: bool
    answer: bool
    accepted: bool
    may_accept: bool
    fresh: bool
    """Whether it is new since the viewer's last visit."""
    focus: bool
    """Whether the page is about this comment."""
    sort: str = ""
    """Sort of the thread, for the link to the reply form; empty for the usual one."""


class FlatCommentView(NamedTuple):
    """The same for a comment in a flat view."""

    votes: CommentVotes
    posted_at: int
    age: int
    edited: int | None
    parent_id: int
    """0 for a reply to the post."""
    title: str
    """Title of its post; empty on pages about one post."""
    address: str
    """Address of its post."""


@caches.COMMENTS.remember
def render_comment(view: CommentView, language: str) -> str:
    """Render a comment of a thread in the active language, which `language` names."""
    return caches.render_compact("partials/comment.html", _context(view))


@caches.FLAT_COMMENTS.remember
def render_flat_comment(view: FlatCommentView, language: str) -> str:
    """Render a comment of a flat view in the active language, which `language` names."""
    return caches.render_compact("partials/flat_comment.html", _context(view))


def _context(view: CommentView | FlatCommentView) -> dict[str, Any]:
    return {
        "view": view,
        "votes": view.votes,
        "posted": datetime.fromtimestamp(view.posted_at, UTC),
        "age": ages.words(view.age),
        "edited": None if view.edited is None else ages.words(view.edited),
        "next": NEXT,
        "body": SafeString(BODY),
    }


@caches.COMMENT_SUMMARIES.remember
def render_summary(
    author: str, replies: int, language: str, *, answer: bool, accepted: bool
) -> str:
    """Render the line that folds a comment with its replies; a deleted one has no author."""
    context = {"author": author, "replies": replies, "answer": answer, "accepted": accepted}
    return caches.render_compact("partials/comment_fold.html", context)


@caches.MORE_LINKS.remember
def render_more_link(post_id: int, comment_id: int, hidden: int, deep: bool, language: str) -> str:
    """Render the link to replies that are not on the page; "" if there are none."""
    if not hidden:
        return ""
    context = {"post_id": post_id, "id": comment_id, "hidden": hidden, "deep": deep}
    return caches.render_compact("partials/comment_more.html", context)


def render_votes(ballot: Ballot, author: str) -> SafeString:
    """Render what a member's vote changed of a comment, for the script."""
    on, tally = ballot.target, (ballot.up, ballot.down)
    votes = CommentVotes(on.post_id, on.comment_id, author, *tally, ballot.vote, Arrows.MEMBER)
    return SafeString(caches.render_compact("partials/comment_votes.html", {"votes": votes}))


def arrows_of(tally: CommentTally | None, context: ViewContext) -> Arrows:
    """Return what the arrows of a comment do; there is no tally while Redis is unavailable."""
    if tally is None:
        return Arrows.UNAVAILABLE
    if tally.closes_at is not None and tally.closes_at <= context.now:
        return Arrows.CLOSED
    return Arrows.MEMBER if context.viewer else Arrows.GUEST


def render_flat_items(
    page: FlatPage, context: ViewContext, *, titles: bool = False, folded: bool = True
) -> SafeString:
    """Render the `<li>` of every comment of a page, with the `titles` of their posts if wanted.

    `folded` folds comments by people whom the viewer blocked. No query.
    """
    return SafeString("".join(_flat_items(page, context, titles, folded)))


def _flat_items(page: FlatPage, context: ViewContext, titles: bool, folded: bool) -> Iterator[str]:
    language = get_language() or ""
    for comment in page.comments:
        html = render_flat_comment(_flat_view(comment, context, titles), language)
        html = html.replace(NEXT, context.next_url).replace(BODY, comment.card.html)
        author = comment.card.author
        blocked = folded and context.blocks(author)
        yield f"<li>{folding.fold_comment(html, author, language) if blocked else html}</li>"


def _flat_view(comment: FlatComment, context: ViewContext, titles: bool) -> FlatCommentView:
    post, card, tally = comment.post, comment.card, comment.tally
    up, down = (tally.up, tally.down) if tally else (comment.up, comment.down)
    arrows = arrows_of(tally, context)
    return FlatCommentView(
        votes=CommentVotes(post.pk, comment.id, card.author, up, down, comment.vote, arrows),
        posted_at=card.posted_at,
        age=ages.bucket(context.now - card.posted_at),
        edited=ages.bucket(context.now - card.edited_at) if card.edited_at else None,
        parent_id=card.parent_id,
        title=post.title if titles else "",
        address=post.get_absolute_url() if titles else "",
    )
