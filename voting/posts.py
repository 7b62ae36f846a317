"""Posts as voting sees them: published, retracted, moved between groups, loaded from an archive."""

from collections.abc import Iterable, Sequence
from itertools import islice
from secrets import token_hex

from voting import keys, scripts
from voting.client import Store
from voting.errors import UnknownTarget
from voting.ground import ground, member
from voting.scripts import Argument, Call
from voting.types import Post, Record, Rules, Target

PUBLISH = scripts.load("publish")
RETRACT = scripts.load("retract")
REGROUP = scripts.load("regroup")
LOAD = scripts.load("load")

BATCH = 200
"""Records loaded in one round trip."""
VOTERS_AT_ONCE = 5_000
"""Voters added by one command."""


def _generations(post_id: int) -> tuple[str, str]:
    shard = keys.shard_tag(keys.shard(post_id))
    return keys.generation(shard), keys.generation(keys.RANK_TAG)


def _described(post: Post) -> tuple[Argument, ...]:
    return (
        post.id,
        member(post.id),
        post.author_id,
        post.posted_at,
        post.version,
        post.card,
        " ".join(post.groups),
    )


def publish(store: Store, rules: Rules, now: int, post: Post) -> None:
    """Make a post what `post` says; the first time, open voting with its author's own up vote.

    An older version than Redis knows is left out. One round trip.
    """
    store.run(
        PUBLISH(
            (
                keys.post(post.id),
                keys.voters(Target(post.id)),
                keys.ledger(keys.shard(post.id)),
                *_generations(post.id),
                keys.swept(),
            ),
            *ground(rules, now),
            *_described(post),
        )
    )


def retract(store: Store, rules: Rules, now: int, post_id: int, version: int) -> None:
    """Take a post out of every listing and close it to votes. One round trip."""
    store.run(
        RETRACT(
            (keys.post(post_id), *_generations(post_id)),
            *ground(rules, now),
            post_id,
            member(post_id),
            version,
        )
    )


def regroup(
    store: Store,
    rules: Rules,
    now: int,
    post_id: int,
    *,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    restore: bool = False,
) -> tuple[str, ...]:
    """Add and remove a post's groups at once and return what it is in. One round trip.

    `restore` brings a retracted post back. Raises UnknownTarget.
    """
    call = REGROUP(
        (keys.post(post_id), *_generations(post_id), keys.swept()),
        *ground(rules, now),
        post_id,
        member(post_id),
        " ".join(add),
        " ".join(remove),
        int(restore),
    )
    groups = store.run(call)[0]
    if groups is None:
        raise UnknownTarget(Target(post_id))
    return tuple(groups.split())


def load(store: Store, rules: Rules, now: int, records: Iterable[Record], *, filling: bool) -> int:
    """Put whole posts with their voters in; return how many were not there before.

    A post that Redis knows is left alone. Three round trips for `BATCH` records. `filling` says
    that the store is closed and this is its rebuild; anybody else gets StoreEmpty then, lest an
    older record come before the rebuild's.
    """
    remaining, loaded = iter(records), 0
    while batch := list(islice(remaining, BATCH)):
        loaded += _load_batch(store, rules, now, batch, filling)
    return loaded


def _load_batch(
    store: Store, rules: Rules, now: int, batch: Sequence[Record], filling: bool
) -> int:
    with store.pipeline() as pipeline:
        for record in batch:
            pipeline.hexists(keys.post(record.post.id), "posted_at")
        known = pipeline.execute()
    missing = [record for record, there in zip(batch, known, strict=True) if not there]
    if not missing:
        return 0
    loader = token_hex(8)
    oldest = now - rules.window - keys.VOTERS_GRACE
    _load_voters(store, loader, [one for one in missing if one.post.posted_at > oldest])
    return sum(store.run(*(_load_call(rules, now, one, loader, filling) for one in missing)))


def _load_voters(store: Store, loader: str, records: Sequence[Record]) -> None:
    """Put voters aside, a part at a time so that none stalls the server, and in order, since a set
    of integers grows fastest so. Those that Redis would have forgotten stay in the archive.
    """
    with store.pipeline() as pipeline:
        for record in records:
            key = keys.loading(Target(record.post.id), loader)
            voters = sorted((*record.ups, *(-user_id for user_id in record.downs)))
            for start in range(0, len(voters), VOTERS_AT_ONCE):
                pipeline.sadd(key, *voters[start : start + VOTERS_AT_ONCE])
            pipeline.expire(key, keys.LOADING_LIFE)
        pipeline.execute()


def _load_call(rules: Rules, now: int, record: Record, loader: str, filling: bool) -> Call:
    post = record.post
    target = Target(post.id)
    return LOAD(
        (
            keys.post(post.id),
            keys.voters(target),
            keys.loading(target, loader),
            *_generations(post.id),
            keys.swept(),
        ),
        *ground(rules, now),
        *_described(post),
        record.up,
        record.down,
        int(filling),
    )
