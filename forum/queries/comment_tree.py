"""The tree of a thread: selection and order of the comments on a page.

Pure: no SQL and no Redis. Nesting has no limit, so nothing here recurses.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

MOST_COMMENTS = 200
"""Comments that a page shows at most."""
MOST_LEVELS = 8
"""Levels of replies that a page shows; deeper ones are on the page of a comment."""

SortKey = tuple[float, ...]
"""Where a comment stands among its siblings: the smallest comes first."""


class CommentNode(NamedTuple):
    """What the tree needs to know of a comment."""

    id: int
    parent_id: int | None
    up: int
    down: int
    deleted: bool
    on_question: bool = False
    """Whether it comments on a question itself instead of answering it."""


Ranking = Callable[[CommentNode], SortKey]


@dataclass(frozen=True, slots=True)
class Selection:
    """The comments that a page shows."""

    ids: frozenset[int]
    last: int | None
    """The last top-level comment, if more of them follow."""
    rest: int
    """Comments that follow it: top-level ones with all their replies."""


class PlacedComment(NamedTuple):
    """A comment in its place on a page."""

    id: int
    parent_id: int | None
    depth: int
    next_id: int | None
    """The next reply to the same parent that the page shows."""
    replies: int
    """Everything below it that is not deleted, on the page or not."""
    hidden: int
    """Comments that start right below it and are not on the page."""


class CommentTree:
    """The comments of one post."""

    def __init__(self, nodes: Iterable[CommentNode]) -> None:
        self.nodes = {node.id: node for node in nodes}
        self._replies: defaultdict[int | None, list[int]] = defaultdict(list)
        for node in self.nodes.values():
            self._replies[node.parent_id].append(node.id)
        self._visible = self._count_visible()

    def _count_visible(self) -> dict[int, int]:
        """Return how many comments of each branch, its root included, are not deleted."""
        top_down = list(self._replies[None])
        for comment_id in top_down:
            top_down += self._replies.get(comment_id, ())
        visible: dict[int, int] = {}
        for comment_id in reversed(top_down):
            replies = sum(visible[reply] for reply in self._replies.get(comment_id, ()))
            visible[comment_id] = replies + (not self.nodes[comment_id].deleted)
        return visible

    def visible_in_branch(self, comment_id: int) -> int:
        """Return how many comments of a branch are not deleted; 0 for an unknown one."""
        return self._visible.get(comment_id, 0)

    def count_top_level(self) -> int:
        """Return how many visible replies the post itself has; of a question, how many answers."""
        top_level = (self.nodes[top] for top in self._replies[None])
        return sum(not (node.deleted or node.on_question) for node in top_level)

    def update_tally(self, comment_id: int, up: int, down: int) -> None:
        """Replace the tally of a comment by a fresher one."""
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
        """Return the best comments of the post, or of a branch without its root (`below`).

        A comment is selected only after its parent, so a page has no gaps. `after` continues
        behind a top-level comment. Deleted comments without visible replies are left out.
        """
        tops = self._tops_after(ranking, below, after)
        selected: list[int] = []
        frontier = [(ranking(self.nodes[top]), top, 0) for top in tops]
        heapify(frontier)
        while frontier and len(selected) < most:
            _key, comment_id, depth = heappop(frontier)
            selected.append(comment_id)
            if depth + 1 < levels:
                for reply in self._visible_replies(comment_id):
                    heappush(frontier, (ranking(self.nodes[reply]), reply, depth + 1))
        ids = frozenset(selected)
        rest = [top for top in tops if top not in ids]
        last = next((top for top in reversed(tops) if top in ids), None) if rest else None
        return Selection(ids, last, sum(self._visible[top] for top in rest))

    def _tops_after(self, ranking: Ranking, below: int | None, after: int | None) -> list[int]:
        tops = sorted(self._replies.get(below, ()), key=lambda top: ranking(self.nodes[top]))
        if after in tops:
            tops = tops[tops.index(after) + 1 :]
        return [top for top in tops if self._visible[top]]

    def _visible_replies(self, comment_id: int) -> list[int]:
        """Return the replies that have anything visible in their branch."""
        return [reply for reply in self._replies.get(comment_id, ()) if self._visible[reply]]

    def arrange(
        self, selected: Collection[int], ranking: Ranking, *, below: int | None = None
    ) -> list[PlacedComment]:
        """Return selected comments in reading order, each before its replies."""
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
        """Return the selected replies to a comment with depth and next sibling; last one first."""
        replies = [reply for reply in self._replies.get(parent, ()) if reply in selected]
        replies.sort(key=lambda reply: ranking(self.nodes[reply]))
        following = [*replies[1:], None]
        return [(own, depth, then) for own, then in zip(replies, following, strict=False)][::-1]

    def _place(
        self, comment_id: int, depth: int, next_id: int | None, selected: Collection[int]
    ) -> PlacedComment:
        node, replies = self.nodes[comment_id], self._visible_replies(comment_id)
        return PlacedComment(
            comment_id,
            node.parent_id,
            depth,
            next_id,
            self._visible[comment_id] - (not node.deleted),
            sum(self._visible[reply] for reply in replies if reply not in selected),
        )
