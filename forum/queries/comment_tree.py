"""The tree of a thread: from the bones of all its comments to what one page shows of them.

Pure: it knows neither SQL nor Redis. Nesting has no limit in the data, so nothing here recurses.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

SHOWN = 200
"""Comments a page shows at most."""
LEVELS = 8
"""Levels of replies a page shows; what is deeper has a page of its own."""

Key = tuple[float, ...]
"""Where a comment stands among others: the smallest comes first."""


class Bone(NamedTuple):
    """What the tree must know of a comment."""

    id: int
    parent_id: int | None
    up: int
    down: int
    deleted: bool
    remark: bool = False
    """Whether it comments on a question itself instead of answering it."""


Ranking = Callable[[Bone], Key]


@dataclass(frozen=True, slots=True)
class Choice:
    """The comments a page shows. `last` is the last top-level one where more follow."""

    ids: frozenset[int]
    last: int | None
    rest: int
    """Top-level comments that follow, with all replies to them."""


class Node(NamedTuple):
    """A comment in its place on a page."""

    id: int
    parent_id: int | None
    depth: int
    next_id: int | None
    """The next shown reply to the same thing."""
    replies: int
    """Everything below it that is not deleted, shown or not."""
    hidden: int
    """How much of that is not shown and begins right below it."""


class Tree:
    """The comments of one post."""

    def __init__(self, bones: Iterable[Bone]) -> None:
        self.bones = {bone.id: bone for bone in bones}
        self._below: defaultdict[int | None, list[int]] = defaultdict(list)
        for bone in self.bones.values():
            self._below[bone.parent_id].append(bone.id)
        self._living = self._count_living()

    def _count_living(self) -> dict[int, int]:
        """Return how many comments that are not deleted each branch has, its own root included."""
        from_the_top = list(self._below[None])
        for comment_id in from_the_top:
            from_the_top += self._below.get(comment_id, ())
        living: dict[int, int] = {}
        for comment_id in reversed(from_the_top):
            replies = sum(living[reply] for reply in self._below.get(comment_id, ()))
            living[comment_id] = replies + (not self.bones[comment_id].deleted)
        return living

    def living(self, comment_id: int) -> int:
        """Return how many comments of a branch are not deleted; 0 for an unknown one."""
        return self._living.get(comment_id, 0)

    def tops(self) -> int:
        """Return how many replies the post itself has that are not deleted: of a question, how
        many answers.
        """
        tops = [self.bones[top] for top in self._below[None]]
        return sum(not (top.deleted or top.remark) for top in tops)

    def tell(self, comment_id: int, up: int, down: int) -> None:
        """Correct the tallies of a comment by fresher ones."""
        self.bones[comment_id] = self.bones[comment_id]._replace(up=up, down=down)

    def choose(
        self,
        ranking: Ranking,
        *,
        below: int | None = None,
        after: int | None = None,
        most: int = SHOWN,
        levels: int = LEVELS,
    ) -> Choice:
        """Return the best comments of the post, or of a branch without its root (`below`).

        A comment is taken only after the one it replies to, so what is shown hangs together.
        `after` goes on behind a top-level comment. Deleted ones without replies are left out.
        """
        tops = self._tops_after(ranking, below, after)
        taken: list[int] = []
        frontier = [(ranking(self.bones[top]), top, 0) for top in tops]
        heapify(frontier)
        while frontier and len(taken) < most:
            _place, comment_id, depth = heappop(frontier)
            taken.append(comment_id)
            if depth + 1 < levels:
                for reply in self._replies(comment_id):
                    heappush(frontier, (ranking(self.bones[reply]), reply, depth + 1))
        chosen = frozenset(taken)
        left = [top for top in tops if top not in chosen]
        last = next((top for top in reversed(tops) if top in chosen), None) if left else None
        return Choice(chosen, last, sum(self._living[top] for top in left))

    def _tops_after(self, ranking: Ranking, below: int | None, after: int | None) -> list[int]:
        tops = sorted(self._below.get(below, ()), key=lambda top: ranking(self.bones[top]))
        if after in tops:
            tops = tops[tops.index(after) + 1 :]
        return [top for top in tops if self._living[top]]

    def _replies(self, comment_id: int) -> list[int]:
        """Return the replies with anything left to read in them."""
        return [reply for reply in self._below.get(comment_id, ()) if self._living[reply]]

    def arrange(
        self, chosen: Collection[int], ranking: Ranking, *, below: int | None = None
    ) -> list[Node]:
        """Return chosen comments in the order they are read in, each before its replies."""
        nodes: list[Node] = []
        waiting = self._siblings(below, 0, chosen, ranking)
        while waiting:
            comment_id, depth, next_id = waiting.pop()
            replies = self._siblings(comment_id, depth + 1, chosen, ranking)
            nodes.append(self._node(comment_id, depth, next_id, chosen))
            waiting += replies
        return nodes

    def _siblings(
        self, parent: int | None, depth: int, chosen: Collection[int], ranking: Ranking
    ) -> list[tuple[int, int, int | None]]:
        """Return the chosen replies to a comment, each with its depth and the next; last first."""
        shown = [reply for reply in self._below.get(parent, ()) if reply in chosen]
        shown.sort(key=lambda reply: ranking(self.bones[reply]))
        following = [*shown[1:], None]
        return [(each, depth, then) for each, then in zip(shown, following, strict=False)][::-1]

    def _node(
        self, comment_id: int, depth: int, next_id: int | None, chosen: Collection[int]
    ) -> Node:
        bone = self.bones[comment_id]
        return Node(
            comment_id,
            bone.parent_id,
            depth,
            next_id,
            self._living[comment_id] - (not bone.deleted),
            sum(self._living[reply] for reply in self._replies(comment_id) if reply not in chosen),
        )
