"""Renders single comments as HTML, and caches the HTML."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from time import time
from typing import Any, NamedTuple
from urllib.parse import quote

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.config.hidden_scores import is_hidden
from forum.identity.viewers import Viewer
from forum.models import Comment
from forum.queries.newest import FlatComment, FlatPage
from forum.queries.open_flags import OpenFlags
from forum.queries.role_marks import NO_MARK, RoleMark, of_name
from forum.queries.threads import ThreadComment
from forum.web import ages, caches, folding, person_labels, role_marks
from forum.web.placeholders import BODY, NEWER, NEXT
from forum.web.rows import Arrows, with_sign
from forum.web.vote_notes import NO_NOTE, vote_note
from voting.types import Ballot, Vote
from voting.types.comments import CommentTally


@dataclass(frozen=True, slots=True)
class ViewContext:
    """Who looks at comments, when, and on which page."""

    viewer: Viewer | None
    next_url: str
    """Percent-encoded URL to which a guest returns after log-in."""
    now: int
    seen_at: int | None
    """Time of the viewer's previous visit to the page, in seconds since 1970; None if unknown."""
    moderates: bool
    """Whether the viewer moderates one of the post's groups."""
    flags: Mapping[int, OpenFlags] = field(default_factory=dict)
    """The open flags on comments, if the viewer may see them."""
    groups: tuple[str, ...] = ()
    """The short names of the post's groups, whose moderators are marked as such."""

    @property
    def viewer_id(self) -> int | None:
        return self.viewer.id if self.viewer else None

    def blocks(self, author: str) -> bool:
        """Return whether the viewer blocked a person."""
        return self.viewer is not None and author in self.viewer.blocked


def view_context(
    viewer: Viewer | None,
    next_url: str,
    *,
    moderates: bool = False,
    flags: Mapping[int, OpenFlags] | None = None,
) -> ViewContext:
    """Return the context for comments on a page: who looks at them, and the current time."""
    now = int(time())
    return ViewContext(viewer, quote(next_url, safe="/"), now, None, moderates, flags or {})


class CommentVotes(NamedTuple):
    """The votes on a comment, as its HTML shows them."""

    post_id: int
    id: int
    author: str
    up: int | None
    """Number of up votes; None while the score is hidden. The same holds for `down`."""
    down: int | None
    vote: Vote
    arrows: Arrows
    note: SafeString = NO_NOTE
    """Why the viewer's vote doesn't count; "" if it does."""

    @property
    def points(self) -> int | None:
        return None if self.up is None or self.down is None else self.up - self.down

    @property
    def word(self) -> str:
        return self.vote.word

    @property
    def signed_points(self) -> str:
        return "" if self.points is None else with_sign(self.points)


class Fresh(StrEnum):
    """Whether a comment is new to the viewer, and whether another new one follows on the page."""

    NO = ""
    YES = "yes"
    LAST = "last"


class CommentView(NamedTuple):
    """Everything that a comment's HTML depends on, except its text and the language."""

    votes: CommentVotes
    posted_at: int
    age: int
    """The comment's age, as a number from `ages.bucket`."""
    edited: int | None
    """Time since the last edit, as a number from `ages.bucket`; None if no edit is shown."""
    parent: str
    """URL of the parent comment; empty for a reply to the post."""
    next_id: int | None
    deleted: bool
    why_withheld: str
    """The sentence that says why moderation hides the comment; "" if moderation doesn't."""
    shows_text: bool
    """Whether the viewer may read the text; some people may read comments that moderation hides."""
    may_edit: bool
    may_moderate: bool
    post_deleted: bool
    """Whether readers can't see the post, so that nobody can reply to or flag the comment."""
    by_poster: bool
    """Whether the comment is by the author of the post."""
    question: bool
    answer: bool
    accepted: bool
    may_accept: bool
    fresh: Fresh
    """Whether the comment was written after the viewer's last visit."""
    saved: bool | None
    """Whether the viewer saved the comment; None if the viewer is a guest or wrote it."""
    focus: bool
    """Whether the page is about this comment."""
    sort: str = ""
    """The thread's sort order, for the link to the reply form; empty for the default."""
    flags: OpenFlags | None = None
    """The open flags, if the viewer may see them."""
    mark: RoleMark = NO_MARK
    """The author's role, which a mark beside the name shows."""


class FlatCommentView(NamedTuple):
    """Everything that the HTML of a comment in a flat view (a list without nesting) depends on."""

    votes: CommentVotes
    posted_at: int
    age: int
    edited: int | None
    parent_id: int
    """Id of the parent comment; 0 for a reply to the post."""
    title: str
    """Title of the comment's post; empty on pages about one post."""
    address: str
    """URL of the comment's post."""
    own: bool = False
    """Whether the viewer wrote the comment. Authors can't flag their own comments."""
    saved: bool | None = None
    """Whether the viewer saved the comment; None if the page doesn't show that."""
    mark: RoleMark = NO_MARK
    """The author's role, which a mark beside the name shows."""


@caches.COMMENTS.remember
def render_comment(view: CommentView, language: str) -> str:
    """Render a comment of a thread. The active `language` is part of the cache key."""
    return caches.render_compact("partials/comment.html", _context(view))


@caches.FLAT_COMMENTS.remember
def render_flat_comment(view: FlatCommentView, language: str) -> str:
    """Render a comment for a list that doesn't nest replies.

    The active `language` is part of the cache key.
    """
    return caches.render_compact("partials/flat_comment.html", _context(view))


def _context(view: CommentView | FlatCommentView) -> dict[str, Any]:
    return {
        "view": view,
        "votes": view.votes,
        "posted": datetime.fromtimestamp(view.posted_at, UTC),
        "age": ages.words(view.age),
        "edited": None if view.edited is None else ages.words(view.edited),
        "next": NEXT,
        "newer": NEWER,
        "body": SafeString(BODY),
        "mark": role_marks.render(view.mark),
    }


@caches.COMMENT_SUMMARIES.remember
def render_summary(
    author: str, replies: int, language: str, *, answer: bool, accepted: bool, new: int
) -> str:
    """Render the line that readers see in place of a folded comment and its replies.

    Pass "" as `author` if readers can't see the comment. `new` counts the comments among them
    that are new to the viewer.
    """
    context = {
        "author": author,
        "replies": replies,
        "answer": answer,
        "accepted": accepted,
        "unseen": new,
    }
    return caches.render_compact("partials/comment_fold.html", context)


@caches.MORE_LINKS.remember
def render_more_link(post_id: int, comment_id: int, hidden: int, deep: bool, language: str) -> str:
    """Render the link to replies that are left out of the page; "" if no reply is left out."""
    if not hidden:
        return ""
    context = {"post_id": post_id, "id": comment_id, "hidden": hidden, "deep": deep}
    return caches.render_compact("partials/comment_more.html", context)


def render_votes(ballot: Ballot, author: str, posted_at: float) -> SafeString:
    """Render the parts of a comment that show votes. JavaScript replaces them after a vote."""
    on, tally = ballot.target, visible_tally(ballot.up, ballot.down, posted_at)
    note = vote_note(ballot.vote, ballot.counts_at, ballot.closes_at or None, int(time()))
    votes = CommentVotes(
        on.post_id, on.comment_id, author, *tally, ballot.vote, Arrows.MEMBER, note
    )
    return SafeString(caches.render_compact("partials/comment_votes.html", {"votes": votes}))


def render_saved(comment: Comment, saved: bool) -> SafeString:
    """Render the button that saves a comment. JavaScript replaces it after a press."""
    context = {"id": comment.pk, "post_id": comment.post_id, "saved": saved}
    return SafeString(caches.render_compact("partials/comment_saved.html", context))


def visible_tally(up: int, down: int, posted_at: float) -> tuple[int | None, int | None]:
    """Return the numbers of votes that readers see: none while a comment's score is hidden."""
    return (None, None) if is_hidden(posted_at) else (up, down)


def arrows_of(tally: CommentTally | None, context: ViewContext) -> Arrows:
    """Return the state of a comment's vote arrows. `tally` is None while Redis is unavailable."""
    if tally is None:
        return Arrows.UNAVAILABLE
    if tally.closes_at is not None and tally.closes_at <= context.now:
        return Arrows.CLOSED
    return Arrows.MEMBER if context.viewer else Arrows.GUEST


def note_of(comment: FlatComment | ThreadComment, context: ViewContext) -> SafeString:
    """Return why the viewer's vote on a comment doesn't count; "" if it does.

    Returns "" while Redis is unavailable.
    """
    if comment.tally is None:
        return NO_NOTE
    closes_at = comment.tally.closes_at
    return vote_note(comment.vote, comment.counts_at, closes_at, context.now)


def render_flat_items(
    page: FlatPage, context: ViewContext, *, titles: bool = False, folded: bool = True
) -> SafeString:
    """Render each comment of a flat list (without nested replies) as a `<li>`.

    `titles` adds the title of each comment's post. `folded` folds comments by people whom the
    viewer blocked.
    """
    html = "".join(_flat_items(page, context, titles, folded))
    return SafeString(person_labels.beside_names(html, context.viewer))


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
    shown = visible_tally(up, down, card.posted_at)
    arrows, note = arrows_of(tally, context), note_of(comment, context)
    return FlatCommentView(
        votes=CommentVotes(post.pk, comment.id, card.author, *shown, comment.vote, arrows, note),
        posted_at=card.posted_at,
        age=ages.bucket(context.now - card.posted_at),
        edited=ages.bucket(context.now - card.edited_at) if card.edited_at else None,
        parent_id=card.parent_id,
        title=post.title if titles else "",
        address=post.get_absolute_url() if titles else "",
        own=context.viewer is not None and card.author == context.viewer.name,
        saved=comment.saved,
        mark=of_name(card.author),
    )
