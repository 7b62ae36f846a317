"""Posts as voting sees them: published, retracted, moved between groups, loaded from an archive."""

from collections.abc import Iterable, Mapping
from functools import partial

from voting import keys
from voting.errors import UnknownTarget
from voting.redis import scripts
from voting.redis.arguments import Loaded, member
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.topics import loading
from voting.topics.loading import Load
from voting.types import Post, Record, Rules, Target

PUBLISH = scripts.load_ruled("publish")
RETRACT = scripts.load_ruled("retract")
REGROUP = scripts.load_ruled("regroup")
LOAD = scripts.load_ruled("load")

NOTHING: Mapping[int, str] = {}


def _generations(post_id: int) -> tuple[str, str]:
    shard = keys.shard_tag(keys.shard(post_id))
    return keys.generation(shard), keys.generation(keys.RANK_TAG)


def _described(post: Post) -> tuple[int, str, int, int, int, str, str, int, int]:
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


def publish(store: Store, rules: Rules, now: int, post: Post) -> None:
    """Make a post what `post` says; the first time, open voting with its author's own up vote.

    An older version than Redis knows is left out. One round trip.
    """
    store.run(
        PUBLISH(rules)(
            (
                keys.post(post.id),
                keys.voters(Target(post.id)),
                keys.ledger(keys.shard(post.id)),
                *_generations(post.id),
                keys.author(post.author_id),
            ),
            now,
            *_described(post),
        )
    )


def retract(store: Store, rules: Rules, now: int, post_id: int, version: int) -> None:
    """Take a post out of every listing and close it to votes. One round trip."""
    store.run(
        RETRACT(rules)(
            (keys.post(post_id), *_generations(post_id)),
            now,
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
    call = REGROUP(rules)(
        (keys.post(post_id), *_generations(post_id)),
        now,
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


def load(
    store: Store,
    rules: Rules,
    now: int,
    records: Iterable[Record],
    *,
    filling: bool,
    replacing: Mapping[int, str] = NOTHING,
) -> set[int]:
    """Put whole posts with their voters in; return those that were put there.

    A post that Redis knows is left alone, unless `replacing` names the ledger id of its last
    change and it has not changed since. Three round trips for 200 records. `filling` says
    that the store is closed and this is its rebuild; anybody else gets StoreEmpty then, lest an
    older record come before the rebuild's.
    """
    oldest = now - rules.window - keys.VOTERS_GRACE

    def laid_out(record: Record) -> Load:
        post = record.post
        call = partial(_load_call, rules, now, record, filling)
        kept = loading.voters(record.ups, record.downs) if post.posted_at > oldest else ()
        return Load(Target(post.id), kept, call)

    last = {Target(post_id): change for post_id, change in replacing.items()}
    return {target.post_id for target in loading.load(store, map(laid_out, records), last)}


def _load_call(
    rules: Rules, now: int, record: Record, filling: bool, loader: str, last: str, voters: int
) -> Call:
    post = record.post
    target = Target(post.id)
    return LOAD(rules)(
        (
            keys.post(post.id),
            keys.voters(target),
            keys.loading(target, loader),
            *_generations(post.id),
            keys.author(post.author_id),
        ),
        now,
        *Loaded(
            *_described(post),
            record.up,
            record.down,
            record.views,
            voters=voters,
            filling=int(filling),
            last=last,
        ),
    )
