"""What workers and commands ask of voting: the ledger, filling Redis anew, looking inside.

Reached as `VotingService.upkeep`; all methods may raise StoreUnavailable.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from voting import keys
from voting.maintenance import claims, generations, inspection, ledger, snapshots, stray_entries
from voting.maintenance.advice import advice
from voting.maintenance.key_copy import carry
from voting.maintenance.reranking import Healing
from voting.redis.connection import Store
from voting.topics import loading, posts, votes
from voting.types import Record, Rules, Target
from voting.types.maintenance import Entry, Inspected

SHARDS = range(keys.SHARDS)


class Upkeep:
    """The work behind the pages of one site."""

    shards = SHARDS
    piece = ledger.PIECE
    """Fewer entries in a read of the ledger are all that waited."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now
        self._healing = Healing(store, rules, now)

    # Ledger

    def take_leases(self, reader: str) -> frozenset[int]:
        """Take or prolong the leases of a reader's share of the shards, give back what others are
        to have, and return those held. Two round trips.
        """
        return ledger.take_leases(self._store, reader, SHARDS)

    def drop_leases(self, reader: str) -> None:
        """Let other readers go on at once. Two round trips."""
        ledger.drop_leases(self._store, reader, SHARDS)

    def read_ledger(
        self, cursors: Mapping[int, str], *, block_ms: int | None = None
    ) -> list[Entry]:
        """Return entries after each shard's cursor, in order, `piece` a shard at the most.

        Waits up to `block_ms` milliseconds where there are none. One round trip.
        """
        return ledger.read(self._store, cursors, block_ms=block_ms)

    def trim_ledger(self, archived: Mapping[int, str]) -> None:
        """Drop each shard's entries up to and including the archived one. One round trip."""
        ledger.trim(self._store, archived)

    def forgotten(self, archived: Mapping[int, str]) -> dict[int, str]:
        """Return those shards, with the archived entry, whose ledger has never had it: Redis came
        back from an earlier time. One round trip.
        """
        return ledger.forgotten(self._store, archived)

    def go_on_after(self, archived: Mapping[int, str]) -> None:
        """Have ledgers that never had the archived entries go on as if they had. One round trip."""
        ledger.go_on_after(self._store, archived)

    def read_ledger_again(self, archived: Mapping[int, str]) -> Iterator[list[Entry]]:
        """Yield the entries that ledgers hold up to archived ones, in order, a shard's `piece` at a
        time. A round trip each.
        """
        return ledger.read_again(self._store, archived)

    def ledger_lag(self) -> int:
        """Return how many entries wait to be archived. One round trip."""
        return ledger.lag(self._store)

    def rerank(self, post_ids: Iterable[int]) -> None:
        """Write posts' places in rankings again, as their own slots know them.

        For the ledger's reader, before it archives what it read. Nothing on one server; two round
        trips for 500 posts on a cluster.
        """
        self._healing.rerank(post_ids)

    # Filling Redis

    def generation(self) -> str:
        """Return the generation. Raises StoreEmpty where Redis must be rebuilt. One round trip."""
        return generations.current(self._store)

    # What a vote is worth (`weight`, in seconds) is part of the rules that may change while people
    # vote. None: as this process's own rules say.

    def fits(self, weight: float | None = None) -> bool:
        """Say whether the stored scores were made with the present rules. One round trip."""
        return generations.fits(self._store, self._weighing(weight))

    def note_rules(self, weight: float | None = None) -> None:
        """Note that the stored scores were made with the present rules. One round trip."""
        generations.note_rules(self._store, self._weighing(weight))

    def set_vote_seconds(self, weight: float | None = None) -> None:
        """Make votes worth `weight` in all processes from now on, and note that the stored scores
        were made with different rules, until `note_rules`: if this process dies before, whoever
        starts next scores all posts again, also with the rules noted before. One round trip.
        """
        generations.set_vote_seconds(self._store, self._weighing(weight))

    def open_store(self, weight: float | None = None) -> str:
        """Mark Redis as filled and return its generation: anyone may use it. One round trip."""
        return generations.open_store(self._store, self._weighing(weight))

    def _weighing(self, weight: float | None) -> Rules:
        return self._rules if weight is None else self._rules.weighing(weight)

    def close_store(self) -> dict[int, str]:
        """Let nobody in until `open_store`; return the generation that ended in each shard, without
        those that have none. One round trip.
        """
        return generations.close_store(self._store)

    def clear(self, require: Callable[[], object] = lambda: None) -> None:
        """Drop what a rebuild fills again. Call it between `close_store` and `load`.

        `require` is called before each step, and raises where nothing may be dropped any more.
        """
        generations.clear(self._store, require)

    def wipe(self) -> None:
        """Let nobody in, and drop all that voting keeps, also what no rebuild brings back."""
        generations.close_store(self._store)
        generations.wipe(self._store)

    def load(self, records: Iterable[Record], *, filling: bool = False) -> int:
        """Put whole posts with tallies and voters in; return how many were new.

        Posts that Redis knows are left alone. `filling`: between `clear` and `open_store`, when
        anybody else's call says StoreEmpty. Three round trips for 200 records.
        """
        now = self._now()
        return len(posts.load(self._store, self._rules, now, records, filling=filling))

    def reload(self, records: Iterable[Record], last: Mapping[int, str]) -> set[int]:
        """Put whole posts in, in place of what Redis knows of them; return which.

        `last` has the ledger id of each one's last change, and the records have all up to it: a
        post that has changed since stays. Three round trips for 200 records.
        """
        now = self._now()
        return posts.load(self._store, self._rules, now, records, filling=False, replacing=last)

    def last_changes(self, targets: Sequence[Target]) -> dict[Target, str]:
        """Return the ledger ids of the last changes, without unknown targets. One round trip."""
        return loading.last_changes(self._store, targets)

    def known(self, targets: Sequence[Target]) -> set[Target]:
        """Return those posts and comments that Redis knows. One round trip."""
        return loading.known(self._store, targets)

    def bereft(self) -> set[Target]:
        """Return posts and comments on which nobody could vote, since their voters are gone from
        Redis while their votes are not. One round trip.
        """
        return votes.bereft(self._store)

    def forget_bereft(self, targets: Iterable[Target]) -> None:
        """Say that these were loaded anew. One round trip."""
        votes.forget_bereft(self._store, targets)

    def take_rebuild_lease(self, builder: str) -> bool:
        """Take or prolong the right to rebuild, for 15 seconds. One round trip."""
        return ledger.take_lease(self._store, builder, keys.rebuild_lease())

    def drop_rebuild_lease(self, builder: str) -> None:
        """Let others rebuild. One round trip."""
        ledger.drop_lease(self._store, builder, keys.rebuild_lease())

    def snapshot(self, seconds: float) -> None:
        """Have the server write its snapshot file; see `voting.maintenance.snapshots`."""
        snapshots.save(self._store, seconds)

    # Moving to another Redis

    def version(self) -> str:
        """Return the version of Redis whose commands the server knows. One round trip."""
        return claims.version(self._store)

    def claim(self, site: str) -> bool:
        """Take an empty Redis, or one that `site` took before, for a site that moves there; False
        where anything else is in it. Three round trips.
        """
        return claims.take(self._store, site)

    def drop_claim(self) -> None:
        """Say that the site has arrived. One round trip."""
        claims.drop(self._store)

    def carry_to(self, other: "Upkeep") -> int:
        """Copy to another Redis what SQL can not fill there; see `voting.maintenance.key_copy`."""
        return carry(self._store, other._store)  # noqa: SLF001 - of the same class

    # Looking inside

    def advice(self) -> list[str]:
        """Return a sentence for each setting of the server that suits voting badly."""
        return advice(self._store)

    def inspect(self, post_ids: Sequence[int]) -> dict[int, Inspected]:
        """Return all that Redis holds of posts, without unknown ones. Three round trips."""
        return inspection.inspect(self._store, self._rules, self._now(), post_ids)

    def listed_in(self, group: str | None) -> Iterator[int]:
        """Yield the posts in any listing of the site or a group, some of them several times."""
        return stray_entries.listed_in(self._store, group)

    def still_listed(self, group: str | None, post_ids: Sequence[int]) -> list[int]:
        """Return those of some posts that are in any listing of the site or a group now. One round
        trip.
        """
        return stray_entries.still_listed(self._store, group, post_ids)

    def unlist(self, group: str | None, post_ids: Sequence[int]) -> None:
        """Take posts out of every listing of the site or a group. One round trip."""
        stray_entries.unlist(self._store, group, post_ids)
