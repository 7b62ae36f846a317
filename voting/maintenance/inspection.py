"""Looks at everything Redis holds of a post, so that it can be compared with an archive."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from voting import keys
from voting.redis.arguments import member
from voting.redis.connection import Store
from voting.redis.stored import StoredRow, Tally, row_parts, tally_parts
from voting.scores import hot_score, top_score
from voting.topics.rankings import SPANS, nearly_full
from voting.types import Order, Rules, Target
from voting.types.maintenance import Inspected

RANKINGS = (Order.HOT, Order.NEW, Order.TOP_ALL, Order.ACTIVE, Order.VIEWS)
"""Those that hold every post for ever, unless they are full. Readers move the last two at any
moment: there only that a post has a place is looked at.
"""

OF_AUTHOR = "the posts of its author"
CLOCKS = 3_600
"""Seconds that clocks of several machines may differ."""

Scope = str | None
"""A group's name, or None for the whole site."""
Scores = Mapping[tuple[Scope, Order], list[float | None]]
"""A post's score in each of the `ranking`s that an order has; None where it is not there."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The fields of a post that say where else it must be found."""

    post_id: int
    row: StoredRow
    tally: Tally
    gone: bool
    version: int
    author: int

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return (None, *self.row.groups)


def inspect(store: Store, rules: Rules, now: int, post_ids: Sequence[int]) -> dict[int, Inspected]:
    """Return what Redis holds of posts, without unknown ones. Three round trips."""
    known, rules = _known(store, rules, post_ids)
    full = _full(store, rules, {scope for post in known for scope in post.scopes})
    with store.pipeline() as pipeline:
        for post in known:
            pipeline.smembers(keys.voters(Target(post.post_id)))
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
        voters = [int(voter) for voter in next(replies)]
        groups = frozenset(name for name in post.row.groups if next(replies))
        scores: Scores = {
            (scope, order): [next(replies) for _ in keys.rankings(order)]
            for scope in post.scopes
            for order in RANKINGS
        }
        misplaced = _misplaced(rules, now, post, scores, full)
        if not _is_authors(post, next(replies), next(replies)):
            misplaced = (*misplaced, OF_AUTHOR)
        found[post.post_id] = Inspected(
            posted_at=post.row.posted_at,
            up=post.tally.up,
            down=post.tally.down,
            ups=frozenset(voter for voter in voters if voter > 0),
            downs=frozenset(-voter for voter in voters if voter < 0),
            hot=scores[None, Order.HOT][0],
            misplaced=() if post.gone else misplaced,
            groups=groups,
            last=post.tally.last,
            card=post.row.card,
            gone=post.gone,
            version=post.version,
        )
    return found


def _known(store: Store, rules: Rules, post_ids: Sequence[int]) -> tuple[list[_Known], Rules]:
    """Return the posts that Redis knows, and the rules with what a vote is worth there."""
    fields = ("row", "gone", "tally", "version", "author")
    with store.pipeline() as pipeline:
        pipeline.get(keys.VOTE_SECONDS)
        for post_id in post_ids:
            pipeline.hmget(keys.post(post_id), *fields)
        vote_seconds, *hashes = pipeline.execute()
    found = [
        _Known(
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
    return found, rules if vote_seconds is None else rules.weighing(float(vote_seconds))


def _full(store: Store, rules: Rules, scopes: Iterable[Scope]) -> frozenset[tuple[Scope, Order]]:
    """Return the rankings from which a post may be missing; of bands, the oldest drops posts."""
    rankings = [(scope, order) for scope in scopes for order in RANKINGS]
    with store.pipeline() as pipeline:
        for scope, order in rankings:
            pipeline.zcard(keys.rankings(order, scope)[-1])
        sizes = pipeline.execute()
    return frozenset(
        ranking for ranking, size in zip(rankings, sizes, strict=True) if size >= nearly_full(rules)
    )


def _misplaced(
    rules: Rules,
    now: int,
    post: _Known,
    scores: Scores,
    full: frozenset[tuple[Scope, Order]],
) -> tuple[str, ...]:
    points = post.tally.up - post.tally.down
    right = {
        Order.HOT: hot_score(rules, post.row.posted_at, points),
        Order.NEW: post.row.posted_at,
        Order.TOP_ALL: top_score(post.row.posted_at, points),
    }

    def is_right(scope: Scope, order: Order, held: Sequence[float | None]) -> bool:
        found = [score for score in held if score is not None]
        if not found:
            return (scope, order) in full
        if order is Order.TOP_ALL and scores[scope, Order.NEW] != [None]:
            return found == [right[order]] and not _is_ahead(now, post, held)
        return found == [right.get(order, found[0])]

    return tuple(
        order if scope is None else f"{order} of {scope}"
        for (scope, order), held in scores.items()
        if not is_right(scope, order, held)
    )


def _is_ahead(now: int, post: _Known, held: Sequence[float | None]) -> bool:
    """Say whether a post is in a band of `top` that it is too young for, as where a clock was days
    ahead. It may be in one that it has outgrown: it leaves that when somebody looks.
    """
    youngest = (0, *SPANS.values())
    band = next(number for number, score in enumerate(held) if score is not None)
    return now - post.row.posted_at < youngest[band] - CLOCKS


def _is_authors(post: _Known, held: float | None, oldest: Sequence[tuple[str, float]]) -> bool:
    """Say whether a post is among the newest of its author, or may be too old for that."""
    if held is None:
        return bool(oldest) and oldest[0][1] >= post.row.posted_at
    return held == post.row.posted_at
