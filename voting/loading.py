"""What loading posts and comments share: which are known, and voters put aside for a script."""

from collections.abc import Iterable, Sequence

from voting import keys
from voting.client import Store
from voting.types import Target

VOTERS_AT_ONCE = 5_000
"""Voters added by one command."""

Voters = tuple[Iterable[int], Iterable[int]]
"""Who voted up, and who voted down."""


def known(store: Store, targets: Sequence[Target]) -> set[Target]:
    """Return those targets that Redis knows. One round trip."""
    with store.pipeline() as pipeline:
        for target in targets:
            pipeline.hexists(keys.target(target), "posted_at")
        replies = pipeline.execute()
    return {target for target, there in zip(targets, replies, strict=True) if there}


def last_changes(store: Store, targets: Sequence[Target]) -> dict[Target, str]:
    """Return the ledger id of the last change of each target, without unknown ones. One round trip.

    "0-0" says that nothing has changed since it was loaded.
    """
    with store.pipeline() as pipeline:
        for target in targets:
            pipeline.hget(keys.target(target), "last")
        replies = pipeline.execute()
    return {target: last for target, last in zip(targets, replies, strict=True) if last}


def put_aside(store: Store, loader: str, voters: Iterable[tuple[Target, Voters]]) -> None:
    """Put voters aside, a part at a time so that none stalls the server, and in order, since a set
    of integers grows fastest so. One round trip.
    """
    with store.pipeline() as pipeline:
        for target, (ups, downs) in voters:
            key = keys.loading(target, loader)
            members = sorted((*ups, *(-user_id for user_id in downs)))
            for start in range(0, len(members), VOTERS_AT_ONCE):
                pipeline.sadd(key, *members[start : start + VOTERS_AT_ONCE])
            pipeline.expire(key, keys.LOADING_LIFE)
        pipeline.execute()
