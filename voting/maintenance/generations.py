"""Records that the store is filled (its generations), and with which rules its scores were
computed.

Each hash tag has a generation. An emptied or replaced server has no generation. So voting doesn't
mistake an empty server for the server of a new site.
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

RENAME = scripts.load("rename_generation")
BATCH = 1_000
"""Keys deleted in one round trip."""


class Generations:
    """Opens, closes and empties the store of one site.

    In all methods, `weight` is the vote value (seconds). The vote value may change while people
    vote. None means the vote value in the rules of this process.
    """

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store = store
        self._rules = rules

    def current(self) -> str:
        """Return the generation of the store. Raises StoreEmpty if a hash tag has none.

        One round trip.
        """
        found = set(self._store.command("MGET", *(keys.generation(tag) for tag in keys.tags())))
        if len(found) != 1 or None in found:
            raise StoreEmpty("a generation is missing")
        return str(found.pop())

    # Rules

    def has_current_rules(self, weight: float | None = None) -> bool:
        """Return whether the stored scores were computed with the current rules. One round trip."""
        rules = self._weighing(weight)
        signature, vote_seconds = self._store.command("MGET", keys.rules(), keys.VOTE_SECONDS)
        return bool(signature == rules.signature() and vote_seconds == _spelled(rules))

    def record_rules(self, weight: float | None = None) -> None:
        """Record that the stored scores were computed with the current rules. One round trip."""
        self._store.command("SET", keys.rules(), self._weighing(weight).signature())

    def set_vote_seconds(self, weight: float | None = None) -> None:
        """Change the vote value for all processes. One round trip.

        Until `record_rules` is called, the stored scores count as outdated. If this process dies
        before the call, the next process that starts computes all scores again.
        """
        spelled = _spelled(self._weighing(weight))
        self._store.command("MSET", keys.VOTE_SECONDS, spelled, keys.rules(), "")

    # Open and closed

    def open(self, weight: float | None = None) -> str:
        """Mark the store as filled, so that all processes may use it; return its new generation.

        One round trip.
        """
        rules, generation = self._weighing(weight), token_hex(16)
        marks = [part for tag in keys.tags() for part in (keys.generation(tag), generation)]
        noted = (keys.rules(), rules.signature(), keys.VOTE_SECONDS, _spelled(rules))
        self._store.command("MSET", *noted, *marks)
        return generation

    def close(self) -> dict[int, str]:
        """Remove the generations, and return those of the shards by shard number. One round trip.

        Until `open` is called, only the rebuild can use the store; all other processes get
        StoreEmpty. Until `clear` is called, Redis keeps the removed generations. So if a rebuild
        dies, the next process that closes the store gets the same generations. On a cluster, a
        shard whose server was emptied has no generation. The result then lacks this shard, but the
        ledgers of the other shards are complete.
        """
        calls = [RENAME((keys.generation(tag), keys.ended(tag))) for tag in keys.tags()]
        ended = dict(zip(keys.tags(), self._store.run(*calls), strict=True))
        marks = {shard: ended[keys.shard_tag(shard)] for shard in range(keys.SHARDS)}
        return {shard: mark for shard, mark in marks.items() if mark is not None}

    # Deleting

    def clear(self, require: Callable[[], object] = lambda: None) -> None:
        """Delete the keys that a rebuild fills again, except leases. A rebuild calls this before it
        loads data.

        `require` is called before each step and raises an error if this process may no longer
        rebuild. One round trip per 1,000 keys.
        """
        for pattern in keys.REBUILT:
            for some in self._rebuilt_keys(pattern):
                require()
                self._store.command("UNLINK", *some)
        require()
        self._store.command("UNLINK", *(keys.ended(tag) for tag in people.tags()))

    def wipe(self) -> None:
        """Close the store and delete all keys, even the keys that no rebuild can fill again.

        One round trip per 1,000 keys.
        """
        self.close()
        for pattern in keys.EVERYTHING:
            found = self._store.scan(pattern)
            while some := list(islice(found, BATCH)):
                self._store.command("UNLINK", *some)

    def _rebuilt_keys(self, pattern: str) -> Iterator[list[str]]:
        """Yield the keys matching `pattern` that a rebuild fills again, 1,000 at a time."""
        rebuilt = (key for key in self._store.scan(pattern) if _is_rebuilt(key))
        while some := list(islice(rebuilt, BATCH)):
            yield some

    def _weighing(self, weight: float | None) -> Rules:
        return self._rules if weight is None else self._rules.weighing(weight)


def _spelled(rules: Rules) -> str:
    """Format the vote value so that Lua reads exactly the same number."""
    return repr(float(rules.weight))


def _is_rebuilt(key: str) -> bool:
    if key.startswith(people.BEGINNING):
        return key.endswith(people.REBUILT)
    return key not in keys.leases()
