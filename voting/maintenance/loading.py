"""Loads posts and comments from SQL into Redis, with all their votes.

A script can't take thousands of voters as arguments. So the voters are first written to a temporary
set, which the script then renames to the voter set.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from secrets import token_hex
from typing import Any, cast

from voting import keys
from voting.errors import StoreUnavailable
from voting.keys import comments as comment_keys
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.encoding import LoadArguments, tally_parts
from voting.redis.scripts import Call
from voting.topics.posts import described, generations
from voting.types import Newcomer, PostRecord, Rules, Target
from voting.types.comments import CommentRecord

LOAD = scripts.load_ruled("load")
LOAD_COMMENT = scripts.load("load_comment")
FORGET_VOTES = scripts.load("forget_votes")
BATCH = 200
"""Posts or comments loaded in one round trip."""
VOTERS_AT_ONCE = 5_000
"""Voters added by one command."""
LOADED, VOTERS_LOST = 1, -1
"""Replies of the loading scripts. `VOTERS_LOST` means that the temporary voter set lacks voters."""
ATTEMPTS = 5
"""How often to try to load a target, because a failover can lose the temporary voter set."""


@dataclass(frozen=True, slots=True)
class _Load:
    """A post or comment to load."""

    target: Target
    voters: Sequence[int]
    """Members of the voter set to write; empty if that voter set would already have expired."""
    uncounted: Mapping[int, int]
    """The voters whose votes don't count; empty like `voters`."""
    call: Callable[[str, str, int], Call]
    """Returns the call of the loading script.

    The arguments are the loader's name, a ledger entry id, and the number of voters. The script
    replaces a target in Redis only if this is the ledger entry id of the last vote on the target.
    With "" as ledger entry id, the script replaces nothing.
    """


class Loading:
    """Loads the posts and comments of one site, in three round trips per 200 of them.

    `filling` is true during a rebuild, while the store is closed to other processes.
    """

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def load_posts(self, records: Iterable[PostRecord], *, filling: bool = False) -> int:
        """Load posts that Redis doesn't have; return how many were loaded."""
        return len(self._load((self._post(record, filling) for record in records), {}))

    def load_comments(self, records: Iterable[CommentRecord], *, filling: bool = False) -> int:
        """Load comments that Redis doesn't have; return how many were loaded."""
        return len(self._load((self._comment(record, filling) for record in records), {}))

    def reload_posts(self, records: Iterable[PostRecord], last: Mapping[int, str]) -> set[int]:
        """Load posts, also those that Redis already has, and return the ids of the loaded posts.

        `last` maps the id of each post to the ledger id of the newest vote that SQL has on the
        post. Skips a post if Redis has a newer vote on it, or a newer version of it.
        """
        changes = {Target(post_id): change for post_id, change in last.items()}
        loaded = self._load((self._post(record, filling=False) for record in records), changes)
        return {target.post_id for target in loaded}

    def reload_comments(
        self, records: Iterable[CommentRecord], last: Mapping[Target, str]
    ) -> set[Target]:
        """Load comments into Redis, even if it already has them. Return the loaded comments.

        `last` maps each comment to the ledger entry id of its newest vote in SQL. A comment is not
        loaded if Redis has a newer vote on it, or a newer version of it.
        """
        return self._load((self._comment(record, filling=False) for record in records), last)

    def known(self, targets: Sequence[Target]) -> set[Target]:
        """Return those of the given posts and comments that are in Redis. One round trip."""
        with self._store.pipeline() as pipeline:
            for target in targets:
                pipeline.hexists(keys.target(target), "tally")
            replies = pipeline.execute()
        return {target for target, known in zip(targets, replies, strict=True) if known}

    def last_changes(self, targets: Sequence[Target]) -> dict[Target, str]:
        """Return the ledger entry id of the last vote on each target (post or comment).

        The id is "0-0" if nobody has voted since the target was loaded. Unknown targets are left
        out. One round trip.
        """
        with self._store.pipeline() as pipeline:
            for target in targets:
                pipeline.hget(keys.target(target), "tally")
            replies = pipeline.execute()
        return {
            target: tally_parts(tally).last
            for target, tally in zip(targets, replies, strict=True)
            if tally
        }

    def forget_votes(self, targets: Sequence[Target]) -> None:
        """Delete from Redis the votes on those of the `targets` that are retracted.

        Call this after a merge has moved the votes in SQL. A post or comment whose votes were
        deleted must be loaded from SQL before it is published again. One round trip.
        """
        if targets:
            self._store.run(*(FORGET_VOTES((keys.target(on), keys.voters(on))) for on in targets))

    def missing_voters(self) -> set[Target]:
        """Return the posts and comments that accept no votes because Redis lost their voter sets.

        One round trip.
        """
        found = self._store.command("SMEMBERS", keys.missing_voters())
        return {Target(*map(int, one.split(":"))) for one in found}

    def clear_missing_voters(self, targets: Iterable[Target]) -> None:
        """Record that the voter sets of these posts and comments are no longer missing.

        One round trip.
        """
        spelled = (f"{one.post_id}:{one.comment_id}" for one in targets)
        self._store.command("SREM", keys.missing_voters(), *spelled)

    def _post(self, record: PostRecord, filling: bool) -> _Load:
        has_voters = record.post.posted_at > self._oldest_voters()
        voters = _members(record.ups, record.downs) if has_voters else ()
        uncounted = record.uncounted if has_voters else {}
        call = partial(_post_call, self._rules, self._now(), record, filling, len(uncounted))
        return _Load(Target(record.post.id), voters, uncounted, call)

    def _comment(self, record: CommentRecord, filling: bool) -> _Load:
        comment = record.comment
        has_voters = comment.answer or comment.posted_at > self._oldest_voters()
        voters = _members(record.ups, record.downs) if has_voters else ()
        uncounted = record.uncounted if has_voters else {}
        call = partial(_comment_call, self._rules, record, filling, len(uncounted))
        return _Load(Target(comment.post_id, comment.id), voters, uncounted, call)

    def _oldest_voters(self) -> int:
        """Return the newest posting time (seconds) whose voter sets have expired.

        The voter set of an answer never expires.
        """
        return self._now() - self._rules.window - keys.VOTERS_GRACE

    def _load(self, loads: Iterable[_Load], replacing: Mapping[Target, str]) -> set[Target]:
        remaining, loaded = iter(loads), set[Target]()
        while batch := list(islice(remaining, BATCH)):
            loaded |= self._load_batch(batch, replacing)
        return loaded

    def _load_batch(self, batch: Sequence[_Load], replacing: Mapping[Target, str]) -> set[Target]:
        known = self.known([one.target for one in batch])
        pending = [one for one in batch if one.target in replacing or one.target not in known]
        loader, loaded = token_hex(8), set[Target]()
        for _ in range(ATTEMPTS):
            if not pending:
                return loaded
            self._write_voters(loader, pending)
            calls = [
                one.call(loader, replacing.get(one.target, ""), len(one.voters)) for one in pending
            ]
            outcomes = list(zip(pending, self._store.run(*calls), strict=True))
            loaded |= {one.target for one, reply in outcomes if reply == LOADED}
            pending = [one for one, reply in outcomes if reply == VOTERS_LOST]
        if pending:
            raise StoreUnavailable("voters to be loaded were lost again and again")
        return loaded

    def _write_voters(self, loader: str, loads: Iterable[_Load]) -> None:
        """Write temporary voter sets in one round trip.

        Large sets take several commands, so that no command blocks Redis for long.
        """
        with self._store.pipeline() as pipeline:
            for one in loads:
                key = keys.loading(one.target, loader)
                for start in range(0, len(one.voters), VOTERS_AT_ONCE):
                    pipeline.sadd(key, *one.voters[start : start + VOTERS_AT_ONCE])
                if one.voters:
                    pipeline.expire(key, keys.LOADING_LIFE)
                if one.uncounted:
                    pipeline.hset(
                        key + keys.UNCOUNTED_SUFFIX, mapping=cast(dict[Any, Any], one.uncounted)
                    )
                    pipeline.expire(key + keys.UNCOUNTED_SUFFIX, keys.LOADING_LIFE)
            pipeline.execute()


def _members(ups: Iterable[int], downs: Iterable[int]) -> Sequence[int]:
    """Return the members of a voter set, sorted, because Redis adds sorted members fastest."""
    return sorted({*ups, *(-user_id for user_id in downs)})


def _places(newcomers: Mapping[int, Newcomer]) -> str:
    """Return which new accounts' votes count, as `lua/shared/load_uncounted.lua` reads it."""
    return " ".join(f"{one.network} {voter} {one.ends_at}" for voter, one in newcomers.items())


def _post_call(
    rules: Rules,
    now: int,
    record: PostRecord,
    filling: bool,
    uncounted: int,
    loader: str,
    last: str,
    voters: int,
) -> Call:
    post = record.post
    target = Target(post.id)
    return LOAD(rules)(
        (
            keys.post(post.id),
            keys.voters(target),
            keys.loading(target, loader),
            *generations(post.id),
            keys.author(post.author_id),
        ),
        now,
        *LoadArguments(
            *described(post),
            record.up,
            record.down,
            record.views,
            voters=voters,
            filling=int(filling),
            last=last,
            starting_points=record.starting_points,
            uncounted=uncounted,
            places=_places(record.newcomers),
        ),
    )


def _comment_call(
    rules: Rules,
    record: CommentRecord,
    filling: bool,
    uncounted: int,
    loader: str,
    last: str,
    voters: int,
) -> Call:
    comment = record.comment
    on = Target(comment.post_id, comment.id)
    return LOAD_COMMENT(
        (
            keys.target(on),
            keys.voters(on),
            keys.loading(on, loader),
            keys.generation(keys.shard_tag(keys.shard(comment.post_id))),
            comment_keys.latest(comment.post_id),
            comment_keys.latest_texts(comment.post_id),
        ),
        comment.author_id,
        comment.posted_at,
        comment.version,
        record.up,
        record.down,
        int(comment.answer),
        rules.window,
        int(filling),
        comment.post_id,
        last,
        voters,
        uncounted,
        _places(record.newcomers),
    )
