"""Generations: the mark that Redis has been filled, and with which rules.

Each hash tag holds one. A server that was emptied or exchanged has none, so that nobody can
mistake it for a young site.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from secrets import token_hex

from voting import keys
from voting.errors import StoreEmpty
from voting.keys import people
from voting.redis import scripts
from voting.redis.connection import Store
from voting.types import Rules

RENAME_MARK = scripts.load("rename_mark")
SCANNED = 1_000
"""Keys dropped by one step of `clear`."""


def current(store: Store) -> str:
    """Return the generation. Raises StoreEmpty where a hash tag misses it. One round trip."""
    found = set(store.command("MGET", *(keys.generation(tag) for tag in keys.tags())))
    if len(found) != 1 or None in found:
        raise StoreEmpty("a generation is missing")
    return str(found.pop())


def fits(store: Store, rules: Rules) -> bool:
    """Say whether the scores in Redis were made with `rules`. One round trip."""
    signature, vote_seconds = store.command("MGET", keys.rules(), keys.VOTE_SECONDS)
    return bool(signature == rules.signature() and vote_seconds == _spelled(rules))


def set_vote_seconds(store: Store, rules: Rules) -> None:
    """Make votes worth what `rules` say, in every script from now on. Stored scores were made with
    other numbers until `note_rules` is called. One round trip.
    """
    store.command("MSET", keys.VOTE_SECONDS, _spelled(rules), keys.rules(), "")


def note_rules(store: Store, rules: Rules) -> None:
    """Note that the scores in Redis were made with `rules`. One round trip."""
    store.command("SET", keys.rules(), rules.signature())


def open_store(store: Store, rules: Rules) -> str:
    """Mark Redis as filled with `rules`; from here on anyone may use it. One round trip."""
    generation = token_hex(16)
    marks = [part for tag in keys.tags() for part in (keys.generation(tag), generation)]
    noted = (keys.rules(), rules.signature(), keys.VOTE_SECONDS, _spelled(rules))
    store.command("MSET", *noted, *marks)
    return generation


def close_store(store: Store) -> dict[int, str]:
    """Take the marks away and return those of the shards: every call but a rebuild's now says
    StoreEmpty.

    Until `clear` each tag remembers its own, for somebody who closes again what a dead rebuild left
    closed, or open in part. On a cluster shards can differ, and one of a server that was emptied
    has none: the ledgers of the others are whole all the same. One round trip.
    """
    calls = [RENAME_MARK((keys.generation(tag), keys.ended(tag))) for tag in keys.tags()]
    ended = dict(zip(keys.tags(), store.run(*calls), strict=True))
    marks = {shard: ended[keys.shard_tag(shard)] for shard in range(keys.SHARDS)}
    return {shard: mark for shard, mark in marks.items() if mark is not None}


def clear(store: Store, require: Callable[[], object]) -> None:
    """Drop what a rebuild fills again, and not the leases, a thousand a round trip.

    `require` raises where somebody else has the right to it by now.
    """
    for pattern in keys.REBUILT:
        for some in _doomed(store, pattern):
            require()
            store.command("UNLINK", *some)
    require()
    store.command("UNLINK", *(keys.ended(tag) for tag in people.tags()))


def _doomed(store: Store, pattern: str) -> Iterator[list[str]]:
    """Yield the keys that a rebuild fills again, a thousand at once."""
    doomed = (key for key in store.scan(pattern) if _is_rebuilt(key))
    while some := list(islice(doomed, SCANNED)):
        yield some


def wipe(store: Store) -> None:
    """Drop all that voting keeps, also what no rebuild brings back, a thousand a round trip."""
    for pattern in keys.EVERYTHING:
        every = store.scan(pattern)
        while some := list(islice(every, SCANNED)):
            store.command("UNLINK", *some)


def _spelled(rules: Rules) -> str:
    """Return the seconds that a vote is worth, so that Lua reads the very same number."""
    return repr(float(rules.weight))


def _is_rebuilt(key: str) -> bool:
    if key.startswith(people.BEGINNING):
        return key.endswith(people.REBUILT)
    return key not in keys.leases()
