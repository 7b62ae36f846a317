"""Records that the store is filled, and the rules with which its scores were computed.

When the store has been filled, a random text (the generation) is stored for each hash tag, so that
every server with data has it. A server that was emptied or replaced has no generation, so voting
doesn't mistake an empty server for a new site.
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
    """Opens, closes and empties one site's store. Only a rebuild can use a closed store.

    The methods' parameter `weight` is the number of seconds that one vote adds to a hot score. If
    it is None, the number in this process's rules applies.
    """

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store = store
        self._rules = rules

    def current(self) -> str:
        """Return the generation (a random text) of the store. One round trip.

        Raises StoreEmpty unless all hash tags have the same generation.
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
        """Set how many seconds a vote adds to a hot score, for all processes. One round trip.

        After this, `has_current_rules` returns False, because the stored scores are outdated. Call
        `record_rules` when all scores have been computed again.
        """
        spelled = _spelled(self._weighing(weight))
        self._store.command("MSET", keys.VOTE_SECONDS, spelled, keys.rules(), "")

    # Open and closed

    def open(self, weight: float | None = None) -> str:
        """Mark the store as filled, so that all processes can use it. One round trip.

        Returns the new generation, which is the random text that marks the store.
        """
        rules, generation = self._weighing(weight), token_hex(16)
        marks = [part for tag in keys.tags() for part in (keys.generation(tag), generation)]
        noted = (keys.rules(), rules.signature(), keys.VOTE_SECONDS, _spelled(rules))
        self._store.command("MSET", *noted, *marks)
        return generation

    def close(self) -> dict[int, str]:
        """Close the store to all processes except a rebuild. One round trip.

        Removes the generations, which mark the store as filled. Until `open` is called, other
        processes get StoreEmpty.

        Returns each shard's generation, even if an earlier rebuild removed it and then died. Leaves
        out a shard if its server lost the generation together with all other data.
        """
        calls = [RENAME((keys.generation(tag), keys.ended(tag))) for tag in keys.tags()]
        ended = dict(zip(keys.tags(), self._store.run(*calls), strict=True))
        marks = {shard: ended[keys.shard_tag(shard)] for shard in range(keys.SHARDS)}
        return {shard: mark for shard, mark in marks.items() if mark is not None}

    # Deleting

    def clear(self, require: Callable[[], object] = lambda: None) -> None:
        """Delete the keys that the rebuild will fill again. One round trip per 1,000 keys.

        Calls `require` before each deletion. `require` must raise an error if this process may no
        longer rebuild.
        """
        for pattern in keys.REBUILT:
            for some in self._rebuilt_keys(pattern):
                require()
                self._store.command("UNLINK", *some)
        require()
        self._store.command("UNLINK", *(keys.ended(tag) for tag in people.tags()))

    def wipe(self) -> None:
        """Close the store and delete all keys, even keys that SQL can't fill again.

        One round trip per 1,000 keys.
        """
        self.close()
        for pattern in keys.EVERYTHING:
            found = self._store.scan(pattern)
            while some := list(islice(found, BATCH)):
                self._store.command("UNLINK", *some)

    def _rebuilt_keys(self, pattern: str) -> Iterator[list[str]]:
        rebuilt = (key for key in self._store.scan(pattern) if _is_rebuilt(key))
        while some := list(islice(rebuilt, BATCH)):
            yield some

    def _weighing(self, weight: float | None) -> Rules:
        return self._rules if weight is None else self._rules.weighing(weight)


def _spelled(rules: Rules) -> str:
    """Format the seconds per vote so that Lua reads exactly the same number."""
    return repr(float(rules.weight))


def _is_rebuilt(key: str) -> bool:
    if key.startswith(people.BEGINNING):
        return key.endswith(people.REBUILT)
    return key not in keys.leases()
