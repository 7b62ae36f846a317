"""Reads everything that Redis stores about posts and comments, for a comparison with SQL."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voting import keys
from voting.redis.connection import Store
from voting.redis.encoding import StoredRow, Tally, member, row_parts, tally_parts
from voting.scores import hot_score, top_score
from voting.topics.listings import SPANS, nearly_full
from voting.types import Order, Rules, Target
from voting.types.maintenance import InspectedComment, InspectedPost

RANKINGS = (Order.HOT, Order.NEW, Order.TOP_ALL, Order.ACTIVE, Order.VIEWS)
"""Inspection checks that each post is in the rankings of these orders, unless a ranking is full.

Every comment changes a score in `active`, and every view changes a score in `views`. So inspection
doesn't compare scores in these two rankings.
"""

OF_AUTHOR = "the posts of its author"
CLOCK_DIFFERENCE = 3_600
"""Seconds by which the clocks of the site's machines may differ."""

Scope = str | None
"""A group's name, or None for the whole site."""
Scores = Mapping[tuple[Scope, Order], list[float | None]]
"""One post's scores by scope and order; None for a ranking that doesn't have the post."""


@dataclass(frozen=True, slots=True)
class _Post:
    """A post's stored data, from which one can tell which rankings must contain the post."""

    post_id: int
    row: StoredRow
    tally: Tally
    retracted: bool
    version: int
    author: int

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return (None, *self.row.groups)


class Inspection:
    """Inspects the posts and comments of one site."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def posts(self, post_ids: Sequence[int]) -> dict[int, InspectedPost]:
        """Map the ids of the given posts that Redis has to the stored data. Three round trips."""
        known, rules = self._read_posts(post_ids)
        full = self._full_rankings(rules, {scope for post in known for scope in post.scopes})
        with self._store.pipeline() as pipeline:
            for post in known:
                pipeline.smembers(keys.voters(Target(post.post_id)))
                pipeline.hgetall(keys.uncounted(Target(post.post_id)))
                for name in post.row.groups:
                    pipeline.sismember(keys.group(name), str(post.post_id))
                for scope in post.scopes:
                    for order in RANKINGS:
                        for key in keys.rankings(order, scope):
                            pipeline.zscore(key, member(post.post_id))
                pipeline.zscore(keys.author(post.author), member(post.post_id))
                pipeline.zrange(keys.author(post.author), 0, 0, withscores=True)
            replies = iter(pipeline.execute())
        found = {}
        for post in known:
            voters, uncounted = [int(voter) for voter in next(replies)], next(replies)
            groups = frozenset(name for name in post.row.groups if next(replies))
            scores = _read_scores(post, replies)
            misplaced = _misplaced(rules, self._now(), post, scores, full)
            if not _is_listed_by_author(post, next(replies), next(replies)):
                misplaced = (*misplaced, OF_AUTHOR)
            found[post.post_id] = InspectedPost(
                posted_at=post.row.posted_at,
                up=post.tally.up,
                down=post.tally.down,
                ups=frozenset(voter for voter in voters if voter > 0),
                downs=frozenset(-voter for voter in voters if voter < 0),
                hot=scores[None, Order.HOT][0],
                misplaced=() if post.retracted else misplaced,
                groups=groups,
                last=post.tally.last,
                card=post.row.card,
                retracted=post.retracted,
                version=post.version,
                starting_points=post.tally.starting_points,
                uncounted=_numbers(uncounted),
            )
        return found

    def comments(self, targets: Sequence[Target]) -> dict[Target, InspectedComment]:
        """Return what Redis stores about the given comments. One round trip."""
        fields = ("posted_at", "tally", "open", "gone", "version")
        with self._store.pipeline() as pipeline:
            for target in targets:
                pipeline.hmget(keys.target(target), *fields)
                pipeline.smembers(keys.voters(target))
                pipeline.hgetall(keys.uncounted(target))
            replies = iter(pipeline.execute())
        found = {}
        for target, values, members, uncounted in zip(targets, *[replies] * 3, strict=True):
            posted_at, tally, endless, gone, version = values
            if posted_at is None:
                continue
            up, down, last, _start = tally_parts(tally)
            voters = [int(member) for member in members]
            found[target] = InspectedComment(
                posted_at=int(posted_at),
                up=up,
                down=down,
                ups=frozenset(voter for voter in voters if voter > 0),
                downs=frozenset(-voter for voter in voters if voter < 0),
                last=last,
                answer=bool(endless),
                retracted=bool(gone),
                version=int(version),
                uncounted=_numbers(uncounted),
            )
        return found

    def _read_posts(self, post_ids: Sequence[int]) -> tuple[list[_Post], Rules]:
        """Read posts from Redis; return them together with the site's settings for voting.

        Leaves out posts that Redis doesn't have. If Redis stores a vote value (the seconds that a
        vote adds to a hot score), the returned settings contain this vote value.
        """
        fields = ("row", "gone", "tally", "version", "author")
        with self._store.pipeline() as pipeline:
            pipeline.get(keys.VOTE_SECONDS)
            for post_id in post_ids:
                pipeline.hmget(keys.post(post_id), *fields)
            vote_seconds, *hashes = pipeline.execute()
        found = [
            _Post(
                post_id,
                row_parts(row or gone),
                tally_parts(tally),
                row is None,
                int(version),
                int(author),
            )
            for post_id, (row, gone, tally, version, author) in zip(post_ids, hashes, strict=True)
            if tally is not None
        ]
        rules = self._rules
        return found, rules if vote_seconds is None else rules.weighing(float(vote_seconds))

    def _full_rankings(
        self, rules: Rules, scopes: Iterable[Scope]
    ) -> frozenset[tuple[Scope, Order]]:
        """Return the rankings that may have dropped posts because they are full or nearly full.

        `top` consists of four rankings, for posts of different ages. The method checks only
        the size of the last one (`top:older`), because the other three never drop posts.
        """
        rankings = [(scope, order) for scope in scopes for order in RANKINGS]
        with self._store.pipeline() as pipeline:
            for scope, order in rankings:
                pipeline.zcard(keys.rankings(order, scope)[-1])
            sizes = pipeline.execute()
        full = nearly_full(rules)
        return frozenset(
            ranking for ranking, size in zip(rankings, sizes, strict=True) if size >= full
        )


def _read_scores(post: _Post, replies: Iterator[Any]) -> Scores:
    return {
        (scope, order): [next(replies) for _ in keys.rankings(order)]
        for scope in post.scopes
        for order in RANKINGS
    }


def _numbers(fields: Mapping[str, str]) -> dict[int, int]:
    return {int(name): int(value) for name, value in fields.items()}


def _misplaced(
    rules: Rules,
    now: int,
    post: _Post,
    scores: Scores,
    full: frozenset[tuple[Scope, Order]],
) -> tuple[str, ...]:
    points = post.tally.points
    right = {
        Order.HOT: hot_score(rules, post.row.posted_at, points),
        Order.NEW: post.row.posted_at,
        Order.TOP_ALL: top_score(post.row.posted_at, points),
    }

    def is_right(scope: Scope, order: Order, stored: Sequence[float | None]) -> bool:
        found = [score for score in stored if score is not None]
        if not found:
            return (scope, order) in full
        if order is Order.TOP_ALL and scores[scope, Order.NEW] != [None]:
            return found == [right[order]] and not _is_too_young(now, post, stored)
        return found == [right.get(order, found[0])]

    return tuple(
        order if scope is None else f"{order} of {scope}"
        for (scope, order), stored in scores.items()
        if not is_right(scope, order, stored)
    )


def _is_too_young(now: int, post: _Post, stored: Sequence[float | None]) -> bool:
    """Return whether a post is in a ranking of `top` that is only for older posts (see `BANDS`).

    A wrong clock causes this. The opposite is not an error: a post that is too old for its ranking
    is moved when somebody next reads the listing.
    """
    youngest = (0, *SPANS.values())
    band = next(number for number, score in enumerate(stored) if score is not None)
    return now - post.row.posted_at < youngest[band] - CLOCK_DIFFERENCE


def _is_listed_by_author(
    post: _Post, score: float | None, oldest: Sequence[tuple[str, float]]
) -> bool:
    """Return whether the author's list of posts contains the post, or is full of newer posts."""
    if score is None:
        return bool(oldest) and oldest[0][1] >= post.row.posted_at
    return score == post.row.posted_at
