"""Whole comments: put back as an archive remembers them, and looked at to be compared with it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from voting import keys
from voting.keys import comments as comment_keys
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.redis.stored import tally_parts
from voting.topics import loading
from voting.topics.loading import Load
from voting.types import Rules, Target
from voting.types.comments import CommentRecord, InspectedComment

LOAD = scripts.load("load_comment")
NOTHING: Mapping[Target, str] = {}
FIELDS = ("posted_at", "tally", "open", "gone", "version")


def load(
    store: Store,
    rules: Rules,
    now: int,
    records: Iterable[CommentRecord],
    *,
    filling: bool,
    replacing: Mapping[Target, str] = NOTHING,
) -> set[Target]:
    """Put whole comments with their voters in; return those that were put there.

    One that Redis knows is left alone, unless `replacing` names the ledger id of its last change
    and it has not changed since. Three round trips for 200 records.
    """
    oldest = now - rules.window - keys.VOTERS_GRACE

    def laid_out(record: CommentRecord) -> Load:
        comment = record.comment
        is_kept = comment.answer or comment.posted_at > oldest
        kept = loading.voters(record.ups, record.downs) if is_kept else ()
        return Load(_target(record), kept, partial(_load_call, rules, record, filling))

    return loading.load(store, map(laid_out, records), replacing)


def _load_call(
    rules: Rules, record: CommentRecord, filling: bool, loader: str, last: str, voters: int
) -> Call:
    comment, on = record.comment, _target(record)
    return LOAD(
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
    )


def _target(record: CommentRecord) -> Target:
    return Target(record.comment.post_id, record.comment.id)


def inspect(store: Store, targets: Sequence[Target]) -> dict[Target, InspectedComment]:
    """Return what Redis holds of comments, without unknown ones. One round trip."""
    with store.pipeline() as pipeline:
        for target in targets:
            pipeline.hmget(keys.target(target), *FIELDS)
            pipeline.smembers(keys.voters(target))
        replies = pipeline.execute()
    found = {}
    for target, fields, members in zip(targets, replies[::2], replies[1::2], strict=True):
        posted_at, tally, endless, gone, version = fields
        if posted_at is None:
            continue
        up, down, last = tally_parts(tally)
        voters = [int(member) for member in members]
        found[target] = InspectedComment(
            posted_at=int(posted_at),
            up=up,
            down=down,
            ups=frozenset(voter for voter in voters if voter > 0),
            downs=frozenset(-voter for voter in voters if voter < 0),
            last=last,
            answer=bool(endless),
            gone=bool(gone),
            version=int(version),
        )
    return found
