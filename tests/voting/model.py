"""A plain Python model of a voting site. Tests compare the real site with this model."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.voting.sites import DAY, HOUR, WEEK
from voting.types import Direction, Mix, Operator, Order, PostRecord, Vote
from voting.types import Post as Published

WEIGHT, SINK = 432, 28_800
"""Seconds that a point adds to a hot score, and seconds that a point below zero takes away."""
SPANS = {Order.TOP_DAY: DAY, Order.TOP_WEEK: 7 * DAY, Order.TOP_MONTH: 30 * DAY}


@dataclass
class ModelPost:
    """A post in the model, with all votes on this post."""

    id: int
    author: int
    posted_at: int
    groups: list[str]
    card: str
    version: int
    votes: dict[int, Vote] = field(default_factory=dict)
    retracted: bool = False
    loaded: bool = True
    """Whether the store has the post. A rebuild leaves out retracted posts."""

    @property
    def shown(self) -> bool:
        return self.loaded and not self.retracted

    @property
    def ups(self) -> set[int]:
        return {person for person, vote in self.votes.items() if vote is Vote.UP}

    @property
    def downs(self) -> set[int]:
        return {person for person, vote in self.votes.items() if vote is Vote.DOWN}

    @property
    def points(self) -> int:
        return len(self.ups) - len(self.downs)

    def published(self) -> Published:
        """Return the post as an argument for `posts.publish`."""
        return Published(
            self.id, self.author, self.posted_at, tuple(self.groups), self.card, self.version
        )

    def record(self) -> PostRecord:
        """Return the post and its voters as a record, the form in which the site loads posts."""
        ups, downs = tuple(self.ups), tuple(self.downs)
        return PostRecord(self.published(), len(ups), len(downs), ups, downs)


class Model:
    """A model of a whole voting site: its clock and its posts."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.posts: dict[int, ModelPost] = {}

    def open(self, post: ModelPost) -> bool:
        """Return whether the voting window of a post is still open."""
        return self.now < post.posted_at + WEEK

    def remembers(self, post: ModelPost) -> bool:
        """Return whether a post's voter set still exists: until an hour after voting has closed."""
        return self.now < post.posted_at + WEEK + HOUR

    def publish(self, post: Published) -> None:
        """Create or update a post. A new post gets an up vote by its author."""
        known = self.posts.get(post.id)
        if known is None:
            self.posts[post.id] = ModelPost(
                post.id,
                post.author_id,
                post.posted_at,
                list(dict.fromkeys(post.groups)),
                post.card,
                post.version,
                {post.author_id: Vote.UP},
            )
        elif post.version >= known.version:
            known.groups, known.card = list(dict.fromkeys(post.groups)), post.card
            known.version, known.retracted = post.version, False

    def listing(self, order: Order, scope: str | Mix | None, direction: Direction) -> list[int]:
        """Return the ids of all posts in a listing, in order."""
        chosen = [
            post
            for post in self.posts.values()
            if post.shown
            and self._belongs(post, scope)
            and (order not in SPANS or self.now - post.posted_at < SPANS[order])
        ]
        best_first = direction is Direction.DESC
        return [post.id for post in sorted(chosen, key=_rank(order), reverse=best_first)]

    def _belongs(self, post: ModelPost, scope: str | Mix | None) -> bool:
        if scope is None:
            return True
        if isinstance(scope, str):
            return scope in post.groups
        first, *others = (name in post.groups for name in scope.groups)
        if scope.operator is Operator.ANY:
            return first or any(others)
        if scope.operator is Operator.ALL:
            return first and all(others)
        return first and not any(others)


def _worth(points: int) -> int:
    return points * (WEIGHT if points >= 0 else SINK)


def _rank(order: Order) -> Callable[[ModelPost], tuple[int, ...]]:
    """Return a function that gives a post's sort key in `order`. Newer posts win ties."""
    if order is Order.HOT:
        return lambda post: (post.posted_at + _worth(post.points), post.id)
    if order in {Order.NEW, Order.ACTIVE, Order.VIEWS}:
        return lambda post: (post.posted_at, post.id)
    return lambda post: (post.points, post.posted_at, post.id)
