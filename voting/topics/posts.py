"""Posts: publishing, retracting, groups, rows, and the standing (rank in `hot`) of a post."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from voting import keys
from voting.errors import UnknownTarget
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.encoding import (
    listed_parts,
    member,
    row_parts,
    row_patterns,
    tally_parts,
    vote_parts,
)
from voting.redis.queries import Query, fetch, fetch_all
from voting.redis.scripts import Call
from voting.scores import hot_score, one_vote, votes_to_pass
from voting.types import Order, Post, Row, Rules, Target
from voting.types.standing import Standing

PUBLISH = scripts.load_ruled("publish")
RETRACT = scripts.load_ruled("retract")
ROWS = scripts.load("rows")
EXPLAIN = scripts.load("explain")
CACHED_ROWS = 4_096
"""How many decoded rows each process caches. A row takes about 1 kB."""


class Posts:
    """The posts of one site. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def publish(self, post: Post) -> None:
        """Create or update a post, unless Redis has a newer version. One round trip.

        A new post gets its author's up vote.
        """
        self._store.run(
            PUBLISH(self._rules)(
                (
                    keys.post(post.id),
                    keys.voters(Target(post.id)),
                    keys.ledger(keys.shard(post.id)),
                    *generations(post.id),
                    keys.author(post.author_id),
                ),
                self._now(),
                *described(post),
            )
        )

    def retract(self, post_id: int, version: int = 0) -> None:
        """Remove a post from every listing and close it to votes, but keep its votes.

        Does nothing if Redis has a newer version of the post than `version`, unless `version` is 0.
        One round trip.
        """
        self._store.run(
            RETRACT(self._rules)(
                (keys.post(post_id), *generations(post_id)),
                self._now(),
                post_id,
                member(post_id),
                version,
            )
        )

    def get(self, post_id: int, *, viewer: int | None = None) -> tuple[Row, Standing]:
        """Return a post's row and its standing (rank in `hot`). One round trip.

        Raises UnknownTarget if the post is unknown or retracted.
        """
        rows, standing = fetch_all(
            self._store,
            rows_query(self._rules, self._now(), (post_id,), viewer),
            standing_query(self._rules, post_id),
        )
        if not rows:
            raise UnknownTarget(Target(post_id))
        return rows[0], standing

    def rows(self, post_ids: Sequence[int], *, viewer: int | None = None) -> tuple[Row, ...]:
        """Return the rows of the given posts in the given order; unknown posts are left out. One
        round trip.
        """
        query = rows_query(self._rules, self._now(), post_ids, viewer)
        return fetch(self._store, query)

    def standing(self, post_id: int) -> Standing:
        """Return a post's rank in `hot`, and the votes that it needs to rise. One round trip.

        Raises UnknownTarget if the post is unknown or retracted.
        """
        return fetch(self._store, standing_query(self._rules, post_id))

    def standings(self, post_ids: Sequence[int]) -> dict[int, Standing]:
        """Map post ids to standings: rank in `hot`, and the number of votes needed to rise.

        Unknown posts are left out. One round trip.
        """
        replies = self._store.run(*map(explain_call, post_ids)) if post_ids else []
        return {
            post_id: decode_standing(self._rules, post_id, reply)
            for post_id, reply in zip(post_ids, replies, strict=True)
            if reply is not None
        }

    def hot_score(self, posted_at: int, points: int, weight: float | None = None) -> float:
        """Return a post's hot score (seconds). No round trip.

        `weight` is the number of seconds that a vote adds; None means the site's number.
        """
        return hot_score(self._rules.weighing(weight or self._rules.weight), posted_at, points)


def generations(post_id: int) -> tuple[str, str]:
    """Return two generation keys (see `keys.generation`): of the post's shard and of the rankings.

    Redis has such a key only if that part of the store is filled.
    """
    return keys.generation(keys.shard_tag(keys.shard(post_id))), keys.generation(keys.RANK_TAG)


def described(post: Post) -> tuple[int, str, int, int, int, str, str, int, int]:
    """Return a post's data as arguments for `publish.lua` and `load.lua`, in their order."""
    return (
        post.id,
        member(post.id),
        post.author_id,
        post.posted_at,
        post.version,
        post.card,
        " ".join(post.groups),
        post.comments,
        post.commented_at,
    )


# Rows


def rows_query(
    rules: Rules, now: int, post_ids: Sequence[int], viewer: int | None
) -> Query[tuple[Row, ...]]:
    """Return the query for the rows of posts in the given order; unknown posts are left out."""
    if not post_ids:
        return Query((), lambda _replies: ())
    calls = (rows_call(post_ids, viewer),)
    return Query(calls, lambda replies: decode_rows(rules, now, viewer, replies[0][-1]))


def rows_call(post_ids: Sequence[int], viewer: int | None) -> Call:
    """Return the call that reads the rows of posts."""
    return ROWS((keys.generation(keys.RANK_TAG),), *row_patterns(viewer), *post_ids)


def decode_rows(
    rules: Rules, now: int, viewer: int | None, reply: Sequence[Any]
) -> tuple[Row, ...]:
    """Decode the rows in a reply. The format is described in `lua/shared/row.lua`."""
    texts, saved, seen = reply
    if viewer is None:
        return tuple([_row(text) for text in texts])
    unmarked = [None] * len(texts)
    oldest = now - rules.window - keys.VOTERS_GRACE
    rows = []
    for text, at, visit in zip(texts, saved or unmarked, seen or unmarked, strict=True):
        marks = at is not None, None if visit is None else int(visit.split()[1])
        row = _row(text, *marks, True)
        rows.append(row if row.posted_at > oldest else _row(text, *marks))
    return tuple(rows)


@lru_cache(maxsize=CACHED_ROWS)
def _row(text: str, saved: bool = False, seen: int | None = None, has_voters: bool = False) -> Row:
    """Decode the text that the script `row.lua` returns for a post.

    Results are cached, because pages show the same rows repeatedly. `has_voters` is false for
    guests, and for posts whose voter set has expired. The row's `vote` is then None.
    """
    post_id, vote, tally, views, row = listed_parts(text)
    state, counts_at = vote_parts(vote)
    return Row(
        post_id,
        row.posted_at,
        tally.up,
        tally.down,
        row.groups,
        row.card,
        state if has_voters else None,
        row.comments,
        views,
        saved,
        seen,
        tally.starting_points,
        counts_at if has_voters else None,
    )


# Standings


def standing_query(rules: Rules, post_id: int) -> Query[Standing]:
    """Return the query for a post's standing: its rank in `hot`, and the votes it needs to rise.

    When the reply is decoded, raises UnknownTarget if the post is unknown or retracted.
    """
    calls = (explain_call(post_id),)
    return Query(calls, lambda replies: decode_standing(rules, post_id, replies[0]))


def explain_call(post_id: int) -> Call:
    """Return the call to Redis that reads a post's rank in `hot` and the post just above."""
    return EXPLAIN(
        (keys.post(post_id), keys.ranking(Order.HOT), keys.generation(keys.RANK_TAG)),
        member(post_id),
        keys.POST_PATTERN,
        keys.SHARDS,
    )


def decode_standing(rules: Rules, post_id: int, reply: Sequence[Any] | None) -> Standing:
    """Return a post's standing (its rank in `hot`), decoded from a reply of `explain.lua`.

    Raises UnknownTarget if the reply has no post.
    """
    if reply is None:
        raise UnknownTarget(Target(post_id))
    row, tally, total, rank, above, above_score, row_above, vote_seconds = reply
    rules = rules if vote_seconds is None else rules.weighing(float(vote_seconds))
    posted_at, votes = row_parts(row).posted_at, tally_parts(tally)
    points = votes.points
    to_next = None
    if above is not None:
        newer = post_id > int(above)
        to_next = votes_to_pass(rules, posted_at, points, float(above_score), wins_ties=newer)
    return Standing(
        post_id,
        posted_at,
        votes.up,
        votes.down,
        hot_score(rules, posted_at, points),
        None if rank is None else rank + 1,
        total,
        None if above is None else int(above),
        to_next,
        None if row_above is None else row_parts(row_above).card,
        one_vote(rules, points),
        votes.starting_points,
    )
