"""Reads threads: the comments that a page shows, in order and nested, as one viewer sees them.

The number of queries doesn't depend on the length of the thread. One query reads all comments if
they fit on one page. Otherwise one query reads the tree, and one reads the comments on the page.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, Value

from forum.identity.permissions import may_read_withheld
from forum.models import Comment, ModAction, Post, SavedComment, Withheld
from forum.queries.comment_tree import (
    MOST_COMMENTS,
    MOST_LEVELS,
    CommentNode,
    CommentTree,
    PlacedComment,
    Ranking,
    Selection,
    SortKey,
)
from forum.queries.posts import (
    PostState,
    ReadThread,
    own_archived_votes,
    post_state,
    read_thread,
    with_archived_thread_votes,
)
from forum.store.service import get_voting_service
from forum.store.voters import OwnVote
from voting.errors import StoreUnavailable
from voting.types import Vote
from voting.types.comments import CommentTally, Sort


class CommentRow(NamedTuple):
    """The SQL columns of a comment that a thread's page needs."""

    id: int
    parent_id: int | None
    is_answer: bool
    author_id: int
    author: str
    body_html: str
    created_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None
    up: int
    down: int
    withheld: str
    withheld_by_id: int | None
    saved: bool = False
    """Whether the viewer saved the comment for later."""

    def node(self, question: bool, audience: "Audience") -> CommentNode:
        """Return the comment as a node of the comment tree.

        `question` says whether the post is a question.
        """
        on_question = question and self.parent_id is None and not self.is_answer
        deleted = self.deleted_at is not None
        return CommentNode(
            *(self.id, self.parent_id, self.up, self.down, deleted, on_question),
            audience.reads_note(self.withheld, self.author_id),
        )


@dataclass(frozen=True, slots=True)
class Audience:
    """The viewer of a thread, and what the viewer may see."""

    viewer_id: int | None = None
    moderates: bool = False
    """Whether the viewer moderates one of the post's groups."""

    def reads_note(self, withheld: str, author_id: int) -> bool:
        """Return whether the viewer sees a note instead of a withheld comment.

        If the comment is held for approval, only its author and moderators see the note.
        """
        return bool(withheld) and (withheld != Withheld.HELD or self.reads_text(author_id))

    def reads_text(self, author_id: int) -> bool:
        """Return whether the viewer may read a withheld comment by this author."""
        return may_read_withheld(author_id, self.viewer_id, moderates=self.moderates)


WHOLE = 5_000
"""The most comments of a thread that programs can read at once, at any depth."""
FIELDS = ["author__username" if name == "author" else name for name in CommentRow._fields[:-1]]


class ThreadComment(NamedTuple):
    """A comment on a thread's page, as one viewer sees it."""

    place: PlacedComment
    row: CommentRow
    tally: CommentTally | None
    """The votes in Redis; None if Redis is unavailable or doesn't know the comment."""
    vote: Vote
    """The viewer's vote on the comment."""
    counts_at: int | None = None
    """If the viewer's vote doesn't count: when it will (s since 1970), or `VOID`."""
    withheld_by: ModAction | None = None
    """The moderation action that withheld the comment; None if it isn't withheld."""


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """The comments on a thread's page. If `focus` is set, only that comment and its replies."""

    post: Post
    sort: Sort
    selection: Selection
    question_comments: tuple[ThreadComment, ...]
    """Comments on the question itself, with all their replies. Answers aren't among them."""
    comments: tuple[ThreadComment, ...]
    """All other comments on the page."""
    top_level: int
    """The number of direct replies to the post; for a question, the number of answers."""
    focus: ThreadComment | None = None


def post_page(
    post: Post,
    viewer_id: int | None,
    *,
    sort: Sort,
    after: int | None = None,
    read: ReadThread = read_thread,
    moderates: bool = False,
    whole: bool = False,
) -> tuple[PostState, ThreadPage]:
    """Return the data of a post's page.

    With `moderates`, includes comments that are held for approval. With `whole`, includes the
    replies of all levels, and up to `WHOLE` comments. One round trip, by `read`, and at most five
    queries.
    """
    audience = Audience(viewer_id, moderates)
    (tree, rows), ranking = _read(post, audience), rank_by(post, sort)
    most, levels = (WHOLE, WHOLE) if whole else (MOST_COMMENTS, MOST_LEVELS)
    selection = tree.select(ranking, after=after, most=most, levels=levels)
    state = post_state(post, viewer_id, tuple(selection.ids), read=read)
    _update_tallies(tree, state.tallies)
    placed = tree.arrange(selection.ids, ranking)
    comments = _fill(placed, rows, state.tallies, state.votes, viewer_id)
    split = _split(tree, comments)
    return state, ThreadPage(post, sort, selection, *split, tree.count_top_level())


def comment_page(
    post: Post,
    comment_id: int,
    viewer_id: int | None,
    *,
    sort: Sort,
    after: int | None = None,
    moderates: bool = False,
) -> ThreadPage | None:
    """Return a comment with its replies; None if the comment and all replies are deleted.

    One round trip and at most five queries.
    """
    audience = Audience(viewer_id, moderates)
    (tree, rows), ranking = _read(post, audience), rank_by(post, sort)
    if not tree.is_listed(comment_id):
        return None
    selection = tree.select(ranking, below=comment_id, after=after)
    tallies, votes = _tallies(post, (comment_id, *selection.ids), viewer_id)
    _update_tallies(tree, tallies)
    alone = tree.arrange({comment_id}, ranking, below=tree.nodes[comment_id].parent_id)
    placed = alone + tree.arrange(selection.ids, ranking, below=comment_id)
    focus, *replies = _fill(placed, rows, tallies, votes, viewer_id)
    return ThreadPage(post, sort, selection, (), tuple(replies), tree.count_top_level(), focus)


def is_in_thread(post: Post, comment: Comment) -> bool:
    """Return whether the first page of a post's thread shows a comment, in any order.

    One query at most; none for a direct reply to the post.
    """
    if post.comment_count > MOST_COMMENTS:
        return False
    too_deep = {"__".join(["parent"] * MOST_LEVELS) + "__isnull": False}
    return not comment.parent_id or not Comment.objects.filter(pk=comment.pk, **too_deep).exists()


def rank_by(post: Post, sort: Sort) -> Ranking:
    """Return a function that computes a comment's sort key.

    Comments on a question itself (direct replies that aren't answers) come first, from old to new.
    Then comes the accepted answer, then all other comments in the order `sort`. If two comments
    have the same score, the older one comes first, or the newer one if `sort` is `Sort.NEW`.
    """
    score = get_voting_service().comments.score
    question = post.kind == Post.Kind.QUESTION
    accepted = post.accepted_id or 0
    direction = -1 if sort is Sort.NEW else 1

    def key(node: CommentNode) -> SortKey:
        if node.on_question:
            return (0, node.id)
        answer = question and node.parent_id is None
        rank = -score(sort, node.up, node.down, answer=answer)
        return (1, node.id != accepted, rank, direction * node.id)

    return key


def _read(post: Post, audience: Audience) -> tuple[CommentTree, dict[int, CommentRow]]:
    """Return the tree of a post's comments, and the rows of all comments if they fit on one page.

    Two queries at most; none if the post never had a comment.
    """
    if not post.comment_count and post.version == 1:
        return CommentTree(()), {}
    comments, question = Comment.objects.filter(post=post), post.kind == Post.Kind.QUESTION
    if post.comment_count <= MOST_COMMENTS:
        rows = _rows(comments[: MOST_COMMENTS + 1], audience.viewer_id)
        if len(rows) <= MOST_COMMENTS:  # `comment_count` leaves out deleted comments
            return CommentTree(row.node(question, audience) for row in rows.values()), rows
    on_question = Q(parent=None, is_answer=False) if question else Value(False)
    noted = ~Q(withheld="") & (~Q(withheld=Withheld.HELD) | _texts_read_by(audience))
    nodes = comments.annotate(
        is_deleted=Q(deleted_at__isnull=False), on_question=on_question, noted=noted
    )
    fields = nodes.values_list(
        "id", "parent_id", "up", "down", "is_deleted", "on_question", "noted"
    )
    return CommentTree(map(CommentNode._make, fields)), {}


def _texts_read_by(audience: Audience) -> Q:
    """Return the SQL condition for comments that the viewer may read even if they are withheld."""
    if audience.moderates:
        return Q(pk__isnull=False)
    return Q(author=audience.viewer_id)


def _rows(comments: QuerySet[Comment], viewer_id: int | None) -> dict[int, CommentRow]:
    """Map comment ids to comment rows. One query, also for the comments that the viewer saved."""
    saves = SavedComment.objects.filter(user=viewer_id, comment=OuterRef("pk"))
    saved = [Exists(saves)] if viewer_id else []
    return {row[0]: CommentRow(*row) for row in comments.values_list(*FIELDS, *saved)}


def _tallies(
    post: Post, comment_ids: tuple[int, ...], viewer_id: int | None
) -> tuple[Mapping[int, CommentTally], Mapping[int, OwnVote]]:
    """Return the tallies of comments. While Redis is unavailable, return only the viewer's votes.

    One round trip, and one query at most.
    """
    try:
        tallies = get_voting_service().comments.tallies(post.pk, comment_ids, viewer=viewer_id)
    except StoreUnavailable:
        return {}, own_archived_votes(post.pk, comment_ids, viewer_id)
    return with_archived_thread_votes(post.pk, tallies, viewer_id), {}


def _update_tallies(tree: CommentTree, tallies: Mapping[int, CommentTally]) -> None:
    for comment_id, tally in tallies.items():
        tree.update_tally(comment_id, tally.up, tally.down)


def _fill(
    placed: Iterable[PlacedComment],
    rows: Mapping[int, CommentRow],
    tallies: Mapping[int, CommentTally],
    votes: Mapping[int, OwnVote],
    viewer_id: int | None,
) -> list[ThreadComment]:
    """Return the comments to show, each with its data from SQL, its tally and the viewer's vote.

    Two queries at most.
    """
    placed = list(placed)
    missing = [place.id for place in placed if place.id not in rows]
    if missing:
        rows = _rows(Comment.objects.filter(pk__in=missing), viewer_id)
    actions = _actions(rows[place.id] for place in placed)
    return [
        _comment(place, rows[place.id], tallies.get(place.id), votes, actions) for place in placed
    ]


def _actions(rows: Iterable[CommentRow]) -> Mapping[int | None, ModAction]:
    """Map action ids to the actions that withheld these comments. At most one query."""
    action_ids = {row.withheld_by_id for row in rows if row.withheld and row.withheld_by_id}
    if not action_ids:
        return {}
    actions = ModAction.objects.select_related("group", "by", "rule")
    return {action.pk: action for action in actions.filter(pk__in=action_ids)}


def _comment(
    place: PlacedComment,
    row: CommentRow,
    tally: CommentTally | None,
    votes: Mapping[int, OwnVote],
    actions: Mapping[int | None, ModAction],
) -> ThreadComment:
    own = tally or votes.get(place.id, OwnVote())
    vote, action = own.vote or Vote.NONE, actions.get(row.withheld_by_id)
    return ThreadComment(place, row, tally, vote, own.counts_at, action)


def _split(
    tree: CommentTree, comments: Sequence[ThreadComment]
) -> tuple[tuple[ThreadComment, ...], tuple[ThreadComment, ...]]:
    """Split a page's comments in two: comments on a question itself, and all others."""
    others = (
        index
        for index, comment in enumerate(comments)
        if comment.place.depth == 0 and not tree.nodes[comment.row.id].on_question
    )
    first = next(others, len(comments))
    return tuple(comments[:first]), tuple(comments[first:])
