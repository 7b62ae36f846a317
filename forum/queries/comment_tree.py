"""The tree of a post's comments: which comments a page shows, and in which order.

This module reads neither SQL nor Redis. No function is recursive, because comments may be nested to
any depth.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

MOST_COMMENTS = 200
"""The most comments on one page."""
MOST_LEVELS = 8
"""The most levels of replies on one page. Deeper replies are on their parent comment's page."""

SortKey = tuple[float, ...]
"""A key for sorting comments. The comment with the smallest key comes first."""


class CommentNode(NamedTuple):
    """The fields of a comment that decide its place in the tree."""

    id: int
    parent_id: int | None
    up: int
    down: int
    deleted: bool
    on_question: bool = False
    """Whether this is a comment on a question, and not an answer."""
    noted: bool = False
    """Whether pages show a note in place of this comment, because the comment is withheld."""


Ranking = Callable[[CommentNode], SortKey]


@dataclass(frozen=True, slots=True)
class Selection:
    """The ids of the comments that a page shows, and the number of comments on later pages."""

    ids: frozenset[int]
    last: int | None
    """The id of the last top-level comment on this page; None if this is the last page."""
    rest: int
    """The number of comments on later pages, including replies."""


class PlacedComment(NamedTuple):
    """A comment on a page, with its depth and its number of replies."""

    id: int
    parent_id: int | None
    depth: int
    next_id: int | None
    """The id of the next reply to the same parent on this page; None for the last reply."""
    replies: int
    """The number of replies below this comment, at any depth, on this page or not.

    Deleted replies don't count.
    """
    hidden: int
    """The number of direct replies that this page leaves out, plus all their own replies.

    Deleted replies don't count.
    """


class CommentTree:
    """All comments of one post as a tree."""

    def __init__(self, nodes: Iterable[CommentNode]) -> None:
        self.nodes = {node.id: node for node in nodes}
        self._replies: defaultdict[int | None, list[int]] = defaultdict(list)
        for node in self.nodes.values():
            self._replies[node.parent_id].append(node.id)
        self._visible: dict[int, int] = {}
        """For each comment id, the number of visible comments: the comment and all its replies."""
        self._listed: set[int] = set()
        """The ids of visible comments, of comments with a note, and of all comments above these."""
        self._count()

    def _count(self) -> None:
        top_down = list(self._replies[None])
        for comment_id in top_down:
            top_down += self._replies.get(comment_id, ())
        for comment_id in reversed(top_down):
            node, replies = self.nodes[comment_id], self._replies.get(comment_id, ())
            below = sum(self._visible[reply] for reply in replies)
            self._visible[comment_id] = below + (not node.deleted)
            if not node.deleted or node.noted or any(reply in self._listed for reply in replies):
                self._listed.add(comment_id)

    def is_listed(self, comment_id: int) -> bool:
        """Return whether a comment, or a note that replaces it, appears on pages."""
        return comment_id in self._listed

    def count_top_level(self) -> int:
        """Count the visible direct replies to the post. On a question, count only answers."""
        top_level = (self.nodes[top] for top in self._replies[None])
        return sum(not (node.deleted or node.on_question) for node in top_level)

    def update_tally(self, comment_id: int, up: int, down: int) -> None:
        """Replace the tally of a comment with a newer one."""
        self.nodes[comment_id] = self.nodes[comment_id]._replace(up=up, down=down)

    def select(
        self,
        ranking: Ranking,
        *,
        below: int | None = None,
        after: int | None = None,
        most: int = MOST_COMMENTS,
        levels: int = MOST_LEVELS,
    ) -> Selection:
        """Choose the highest-ranked comments for a page of the post.

        If `below` is given, chooses among the replies to that comment. A reply is chosen only if
        its parent is chosen, too. For the next page, pass `Selection.last` as `after`.
        """
        tops = self._tops_after(ranking, below, after)
        selected: list[int] = []
        frontier = [(ranking(self.nodes[top]), top, 0) for top in tops]
        heapify(frontier)
        while frontier and len(selected) < most:
            _key, comment_id, depth = heappop(frontier)
            selected.append(comment_id)
            if depth + 1 < levels:
                for reply in self._listed_replies(comment_id):
                    heappush(frontier, (ranking(self.nodes[reply]), reply, depth + 1))
        ids = frozenset(selected)
        rest = [top for top in tops if top not in ids and self._visible[top]]
        last = next((top for top in reversed(tops) if top in ids), None) if rest else None
        return Selection(ids, last, sum(self._visible[top] for top in rest))

    def _tops_after(self, ranking: Ranking, below: int | None, after: int | None) -> list[int]:
        tops = sorted(self._replies.get(below, ()), key=lambda top: ranking(self.nodes[top]))
        if after in tops:
            tops = tops[tops.index(after) + 1 :]
        return [top for top in tops if top in self._listed]

    def _listed_replies(self, comment_id: int) -> list[int]:
        return [reply for reply in self._replies.get(comment_id, ()) if reply in self._listed]

    def arrange(
        self, selected: Collection[int], ranking: Ranking, *, below: int | None = None
    ) -> list[PlacedComment]:
        """Return the selected comments in page order. Each comment comes before its replies."""
        placed: list[PlacedComment] = []
        stack = self._siblings(below, 0, selected, ranking)
        while stack:
            comment_id, depth, next_id = stack.pop()
            stack += self._siblings(comment_id, depth + 1, selected, ranking)
            placed.append(self._place(comment_id, depth, next_id, selected))
        return placed

    def _siblings(
        self, parent: int | None, depth: int, selected: Collection[int], ranking: Ranking
    ) -> list[tuple[int, int, int | None]]:
        """Return the selected replies to a comment in reverse order: the last reply comes first.

        Each reply is a tuple: its id, its depth, and the id of the next reply to the same comment,
        which is None for the last reply.
        """
        replies = [reply for reply in self._replies.get(parent, ()) if reply in selected]
        replies.sort(key=lambda reply: ranking(self.nodes[reply]))
        following = [*replies[1:], None]
        return [(own, depth, then) for own, then in zip(replies, following, strict=False)][::-1]

    def _place(
        self, comment_id: int, depth: int, next_id: int | None, selected: Collection[int]
    ) -> PlacedComment:
        node, replies = self.nodes[comment_id], self._listed_replies(comment_id)
        return PlacedComment(
            comment_id,
            node.parent_id,
            depth,
            next_id,
            self._visible[comment_id] - (not node.deleted),
            sum(self._visible[reply] for reply in replies if reply not in selected),
        )
