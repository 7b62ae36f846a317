"""What loading posts and comments share: which are known, and voters put aside for a script."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from secrets import token_hex

from voting import keys
from voting.errors import StoreUnavailable
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.redis.stored import tally_parts
from voting.types import Target

BATCH = 200
"""Posts or comments loaded in one round trip."""
VOTERS_AT_ONCE = 5_000
"""Voters added by one command."""
LOADED, INCOMPLETE = 1, -1
"""Replies of the scripts: put there; and not touched, because voters put aside for it are gone."""
ATTEMPTS = 5
"""How often voters are put aside who are gone when their script runs: another server became master
in between and had not heard of them.
"""


@dataclass(frozen=True, slots=True)
class Load:
    """A post or comment to be loaded, with its voters."""

    target: Target
    voters: Sequence[int]
    """Made by `voters`; nobody where their set has ended with the window."""
    call: Callable[[str, str, int], Call]
    """Gives the script's call for a loader's name, the last change it may replace ("": none), and
    how many voters it must find.
    """


def voters(ups: Iterable[int], downs: Iterable[int]) -> Sequence[int]:
    """Return the members of a voter set, in the order in which a set of integers grows fastest."""
    return sorted({*ups, *(-user_id for user_id in downs)})


def load(store: Store, loads: Iterable[Load], replacing: Mapping[Target, str]) -> set[Target]:
    """Load what Redis does not know, and what has not changed since the ledger id that `replacing`
    gives; return what was loaded. Three round trips for `BATCH`. Raises StoreUnavailable.
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
    loader, loaded = token_hex(8), set[Target]()
    for _ in range(ATTEMPTS):
        _put_aside(store, loader, wanted)
        calls = (one.call(loader, replacing.get(one.target, ""), len(one.voters)) for one in wanted)
        told = list(zip(wanted, store.run(*calls), strict=True))
        loaded |= {one.target for one, reply in told if reply == LOADED}
        wanted = [one for one, reply in told if reply == INCOMPLETE]
        if not wanted:
            return loaded
    raise StoreUnavailable("voters who are to be loaded are lost again and again")


def known(store: Store, targets: Sequence[Target]) -> set[Target]:
    """Return those targets that Redis knows. One round trip."""
    with store.pipeline() as pipeline:
        for target in targets:
            pipeline.hexists(keys.target(target), "tally")
        replies = pipeline.execute()
    return {target for target, there in zip(targets, replies, strict=True) if there}


def last_changes(store: Store, targets: Sequence[Target]) -> dict[Target, str]:
    """Return the ledger id of the last change of each target, without unknown ones. One round trip.

    "0-0" says that nothing has changed since it was loaded.
    """
    with store.pipeline() as pipeline:
        for target in targets:
            pipeline.hget(keys.target(target), "tally")
        replies = pipeline.execute()
    return {
        target: tally_parts(tally).last
        for target, tally in zip(targets, replies, strict=True)
        if tally
    }


def _put_aside(store: Store, loader: str, loads: Iterable[Load]) -> None:
    """Put voters aside, a part at a time so that none stalls the server. One round trip."""
    with store.pipeline() as pipeline:
        for one in loads:
            key = keys.loading(one.target, loader)
            for start in range(0, len(one.voters), VOTERS_AT_ONCE):
                pipeline.sadd(key, *one.voters[start : start + VOTERS_AT_ONCE])
            if one.voters:
                pipeline.expire(key, keys.LOADING_LIFE)
        pipeline.execute()
