"""Threads: the comments a page shows, in their places, as one reader sees them.

A page takes a constant number of queries whatever its thread has: one for all comments of a thread
that a page can show at once; else one for the bones of all and one for what the shown ones say. And
at most one for votes that only the archive knows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet, Value

from forum.models import Comment, Post
from forum.queries.comment_tree import SHOWN, Bone, Choice, Key, Node, Ranking, Tree
from forum.queries.posts import Thread, own_archived_votes, thread, with_archived_thread_votes
from forum.store import voting
from voting.errors import StoreUnavailable
from voting.types import Vote
from voting.types.comments import Sort, Tally


class Said(NamedTuple):
    """What SQL tells of a comment that is shown."""

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

    def bone(self, question: bool) -> Bone:
        """Return what the tree of a post must know of it; `question` says whether that is one."""
        remark = question and self.parent_id is None and not self.is_answer
        deleted = self.deleted_at is not None
        return Bone(self.id, self.parent_id, self.up, self.down, deleted, remark)


FIELDS = ["author__username" if name == "author" else name for name in Said._fields]


class Line(NamedTuple):
    """A comment in its place, as one reader sees it.

    `tally` is None if Redis is down or does not know the comment; `vote` is the reader's own, then
    from the database.
    """

    node: Node
    said: Said
    tally: Tally | None
    vote: Vote


@dataclass(frozen=True, slots=True)
class Talk:
    """The comments of a page. Below a comment (`focus`) it has only the replies to that one.

    `remarks` are the comments on a question itself, with the replies to them; `lines` the others.
    """

    post: Post
    sort: Sort
    choice: Choice
    remarks: tuple[Line, ...]
    lines: tuple[Line, ...]
    tops: int
    """Replies to the post itself: on a question, its answers."""
    focus: Line | None = None

    @property
    def asides(self) -> int:
        """Comments that are not answers, on a question or on its answers."""
        return max(0, self.post.comment_count - self.tops)


def page_of(
    post: Post,
    viewer_id: int | None,
    *,
    sort: Sort,
    after: int | None = None,
    visitor: str = "",
    keep: bool = False,
) -> tuple[Thread, Talk]:
    """Return a post's page; a `visitor` views it, and the visit is kept for the viewer where they
    want that. One query where there are comments, another where one page can't show them all, and
    one where votes are archived; round trips as for `thread`.
    """
    (tree, said), place = _read(post), ranking(post, sort)
    choice = tree.choose(place, after=after)
    shown = thread(post, viewer_id, tuple(choice.ids), visitor=visitor, keep=keep)
    _tell(tree, shown.tallies)
    lines = _filled(tree.arrange(choice.ids, place), said, shown.tallies, shown.votes)
    return shown, Talk(post, sort, choice, *_apart(tree, lines), tree.tops())


def branch_of(
    post: Post, comment_id: int, viewer_id: int | None, *, sort: Sort, after: int | None = None
) -> Talk | None:
    """Return a comment with the replies below it; None where nothing of it is left to read.

    Queries as for `page_of`; one round trip.
    """
    (tree, said), place = _read(post), ranking(post, sort)
    if not tree.living(comment_id):
        return None
    choice = tree.choose(place, below=comment_id, after=after)
    tallies, votes = _tallies(post, (comment_id, *choice.ids), viewer_id)
    _tell(tree, tallies)
    alone = tree.arrange({comment_id}, place, below=tree.bones[comment_id].parent_id)
    nodes = alone + tree.arrange(choice.ids, place, below=comment_id)
    focus, *lines = _filled(nodes, said, tallies, votes)
    return Talk(post, sort, choice, (), tuple(lines), tree.tops(), focus)


def page_that_shows(post: Post, comment: Comment, sort: Sort) -> Post | Comment | None:
    """Return what has a first page, sorted by `sort`, that shows a comment: its post, the comment
    that it replies to, or neither (None). One query.
    """
    (tree, _said), place = _read(post), ranking(post, sort)
    if comment.pk in tree.choose(place).ids:
        return post
    shown_below = tree.choose(place, below=comment.parent_id).ids
    return comment.parent if comment.pk in shown_below else None


def ranking(post: Post, sort: Sort) -> Ranking:
    """Return what ranks a post's comments: the accepted answer first, then by `sort`, then by time.

    Of comments with equal votes the older comes first, as they were said. Comments on a question
    itself come before its answers, the oldest first whatever the sort.
    """
    score = voting().comment_score
    question = post.kind == Post.Kind.QUESTION
    accepted = post.accepted_id or 0
    direction = -1 if sort is Sort.NEW else 1

    def place(bone: Bone) -> Key:
        if bone.remark:
            return (0, bone.id)
        answer = question and bone.parent_id is None
        rank = -score(sort, bone.up, bone.down, answer=answer)
        return (1, bone.id != accepted, rank, direction * bone.id)

    return place


def _read(post: Post) -> tuple[Tree, dict[int, Said]]:
    """Return the tree of a post, and what its comments say where a page can show them all.

    One query; none where nobody has commented.
    """
    if not post.comment_count:
        return Tree(()), {}
    comments, question = Comment.objects.filter(post=post), post.kind == Post.Kind.QUESTION
    if post.comment_count <= SHOWN:
        said = _said(comments[: SHOWN + 1])
        if len(said) <= SHOWN:  # there may be very many deleted ones beside those that are counted
            return Tree(each.bone(question) for each in said.values()), said
    remark = Q(parent=None, is_answer=False) if question else Value(False)
    bones = comments.annotate(gone=Q(deleted_at__isnull=False), remark=remark)
    fields = bones.values_list("id", "parent_id", "up", "down", "gone", "remark")
    return Tree(map(Bone._make, fields)), {}


def _said(comments: QuerySet[Comment]) -> dict[int, Said]:
    """Return what comments say. One query."""
    return {row[0]: Said._make(row) for row in comments.values_list(*FIELDS)}


def _tallies(
    post: Post, comment_ids: tuple[int, ...], viewer_id: int | None
) -> tuple[Mapping[int, Tally], Mapping[int, Vote]]:
    """Return how comments stand, or, while Redis is down, only the viewer's own votes on them.

    One round trip, one query at most.
    """
    try:
        tallies = voting().comments.tallies(post.pk, comment_ids, viewer=viewer_id)
    except StoreUnavailable:
        return {}, own_archived_votes(post.pk, comment_ids, viewer_id)
    return with_archived_thread_votes(post.pk, tallies, viewer_id), {}


def _tell(tree: Tree, tallies: Mapping[int, Tally]) -> None:
    for comment_id, tally in tallies.items():
        tree.tell(comment_id, tally.up, tally.down)


def _filled(
    nodes: Iterable[Node],
    said: Mapping[int, Said],
    tallies: Mapping[int, Tally],
    votes: Mapping[int, Vote],
) -> list[Line]:
    """Return nodes with what their comments say. One query where that has not been read yet."""
    nodes = list(nodes)
    unread = [node.id for node in nodes if node.id not in said]
    if unread:
        said = _said(Comment.objects.filter(pk__in=unread))
    return [_line(node, said[node.id], tallies.get(node.id), votes) for node in nodes]


def _apart(tree: Tree, lines: Sequence[Line]) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the comments on a question itself, which come first, and the others."""
    answers = (
        place
        for place, line in enumerate(lines)
        if line.node.depth == 0 and not tree.bones[line.said.id].remark
    )
    first = next(answers, len(lines))
    return tuple(lines[:first]), tuple(lines[first:])


def _line(node: Node, said: Said, tally: Tally | None, votes: Mapping[int, Vote]) -> Line:
    own = tally.vote if tally else votes.get(node.id)
    return Line(node, said, tally, own or Vote.NONE)
