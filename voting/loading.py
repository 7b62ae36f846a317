"""What loading posts and comments share: which are known, and voters put aside for a script."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from secrets import token_hex

from voting import keys
from voting.client import Store
from voting.scripts import Call
from voting.types import Target

BATCH = 200
"""Posts or comments loaded in one round trip."""
VOTERS_AT_ONCE = 5_000
"""Voters added by one command."""


@dataclass(frozen=True, slots=True)
class Load:
    """A post or comment to be loaded, with who voted up and down."""

    target: Target
    ups: Iterable[int]
    downs: Iterable[int]
    has_voters: bool
    """Whether Redis still keeps who voted: with the window their set has ended."""
    call: Callable[[str, str], Call]
    """Gives the script's call for a loader's name and the last change it may replace ("": none)."""


def load(store: Store, loads: Iterable[Load], replacing: Mapping[Target, str]) -> set[Target]:
    """Load what Redis does not know, and what has not changed since the ledger id that `replacing`
    gives; return what was loaded. Three round trips for `BATCH`.
    """
    remaining, loaded = iter(loads), set[Target]()
    while batch := list(islice(remaining, BATCH)):
        loaded |= _load_batch(store, batch, replacing)
    return loaded


def _load_batch(
    store: Store, batch: Sequence[Load], replacing: Mapping[Target, str]
) -> set[Target]:
    there = known(store, [one.target for one in batch])
    wanted = [one for one in batch if one.target in replacing or one.target not in there]
    if not wanted:
        return set()
    loader = token_hex(8)
    _put_aside(store, loader, (one for one in wanted if one.has_voters))
    replies = store.run(*(one.call(loader, replacing.get(one.target, "")) for one in wanted))
    return {one.target for one, put in zip(wanted, replies, strict=True) if put}


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


def _put_aside(store: Store, loader: str, loads: Iterable[Load]) -> None:
    """Put voters aside, a part at a time so that none stalls the server, and in order, since a set
    of integers grows fastest so. One round trip.
    """
    with store.pipeline() as pipeline:
        for one in loads:
            key = keys.loading(one.target, loader)
            members = sorted((*one.ups, *(-user_id for user_id in one.downs)))
            for start in range(0, len(members), VOTERS_AT_ONCE):
                pipeline.sadd(key, *members[start : start + VOTERS_AT_ONCE])
            pipeline.expire(key, keys.LOADING_LIFE)
        pipeline.execute()
