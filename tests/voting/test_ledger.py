"""The ledger has one entry for each changed vote. One reader at a time reads the entries in order,
then deletes the entries.
"""

from datetime import timedelta
from time import monotonic, time
from typing import Any

import pytest
from redis import Redis

from tests.voting.sites import ADA, BRAM, CLEO, Clock, publish, vote
from voting import keys
from voting.maintenance.ledger import BEGINNING, LEASE_MS
from voting.service import VotingService
from voting.types import Target, Vote
from voting.types.maintenance import VoteEntry

SHARD = 7
ALL = dict.fromkeys(range(keys.SHARDS), BEGINNING)


@pytest.fixture
def entries(site: VotingService, clock: Clock) -> list[VoteEntry]:
    """Ledger entries: a new post, Bram's two votes on that post, and a second post in the same
    shard.
    """
    publish(site, SHARD)
    clock.advance(10)
    vote(site, BRAM, SHARD, Vote.DOWN)
    publish(site, SHARD + keys.SHARDS, author=CLEO)
    clock.advance(10)
    vote(site, BRAM, SHARD, Vote.UP)
    vote(site, BRAM, SHARD, Vote.UP)
    return site.maintenance.ledger.read({SHARD: BEGINNING})


def test_entry_has_voter_vote_target_time_and_tally(entries: list[VoteEntry], clock: Clock) -> None:
    found = [(e.user_id, e.target.post_id, e.vote, clock.now - e.at, e.up, e.down) for e in entries]
    assert found == [
        (ADA, 7, Vote.UP, 20, 1, 0),
        (BRAM, 7, Vote.DOWN, 10, 1, 1),
        (CLEO, 71, Vote.UP, 10, 1, 0),
        (BRAM, 7, Vote.UP, 0, 2, 0),
    ]
    assert {entry.shard for entry in entries} == {SHARD}
    assert {entry.target for entry in entries} == {Target(7), Target(71)}


def test_reader_continues_after_its_cursor(site: VotingService, entries: list[VoteEntry]) -> None:
    second = entries[1].id
    assert site.maintenance.ledger.read({SHARD: second}) == entries[2:]
    assert site.maintenance.ledger.read({SHARD: entries[-1].id}) == []
    assert site.maintenance.ledger.read({SHARD + 1: BEGINNING}) == [], "another shard has none"


def test_all_shards_are_read_together_each_in_order(site: VotingService) -> None:
    for post_id in range(1, 200):
        publish(site, post_id)
    found = site.maintenance.ledger.read(ALL)
    assert sorted(entry.target.post_id for entry in found) == list(range(1, 200))
    for shard in range(keys.SHARDS):
        of_shard = [entry.target.post_id for entry in found if entry.shard == shard]
        assert of_shard == sorted(of_shard)
        assert all(keys.shard(post_id) == shard for post_id in of_shard)


def test_long_ledger_is_read_in_batches_without_gaps(site: VotingService) -> None:
    publish(site, SHARD)
    for person in range(100, 700):
        vote(site, person, SHARD)
    first = site.maintenance.ledger.read({SHARD: BEGINNING})
    second = site.maintenance.ledger.read({SHARD: first[-1].id})
    assert [len(first), len(second)] == [500, 101]
    assert [entry.user_id for entry in first + second] == [ADA, *range(100, 700)]


def test_trimming_deletes_only_archived_entries(
    site: VotingService, entries: list[VoteEntry]
) -> None:
    assert site.maintenance.ledger.lag() == 4
    site.maintenance.ledger.trim({SHARD: entries[1].id})
    assert site.maintenance.ledger.read({SHARD: BEGINNING}) == entries[2:]
    site.maintenance.ledger.trim({SHARD: entries[1].id})
    assert site.maintenance.ledger.lag() == 2, "trimming again is harmless"
    site.maintenance.ledger.trim({SHARD: entries[-1].id})
    assert site.maintenance.ledger.lag() == 0


def test_ids_keep_growing_after_everything_was_trimmed(
    site: VotingService, entries: list[VoteEntry]
) -> None:
    site.maintenance.ledger.trim({SHARD: entries[-1].id})
    vote(site, BRAM, SHARD, Vote.NONE)
    (entry,) = site.maintenance.ledger.read({SHARD: entries[-1].id})
    assert (entry.user_id, entry.vote) == (BRAM, Vote.NONE)


def test_an_idle_reader_waits_and_wakes_up_for_a_vote(site: VotingService) -> None:
    began = monotonic()
    assert site.maintenance.ledger.read(ALL, block_ms=100) == []
    assert monotonic() - began > 0.09
    publish(site, SHARD)
    assert len(site.maintenance.ledger.read(ALL, block_ms=400)) == 1


def test_readers_share_the_shards(site: VotingService) -> None:
    take, every = site.maintenance.ledger.take_leases, frozenset(range(keys.SHARDS))
    assert take("first") == every
    assert take("second") == frozenset(), "the first has them all, and reads on"
    assert take("first") == frozenset(range(0, keys.SHARDS, 2)), "it gives the second its share"
    assert take("second") == frozenset(range(1, keys.SHARDS, 2))
    names = ("first", "second", "third")
    for _ in range(3):
        shares = [take(name) for name in names]
    assert frozenset.union(*shares) == every
    assert sum(map(len, shares)) == len(every), "nobody has another's"
    assert {len(share) for share in shares} == {21, 22}


def test_share_of_a_stopped_or_dead_reader_goes_to_the_others(
    site: VotingService, redis: Redis
) -> None:
    take, every = site.maintenance.ledger.take_leases, frozenset(range(keys.SHARDS))
    for _ in range(2):
        take("first"), take("second")
    site.maintenance.ledger.drop_leases("second")
    assert take("first") == every, "at once after it stops"
    for _ in range(2):
        take("first"), take("second")
    redis.zadd(keys.readers(), {"second": time() * 1_000 - LEASE_MS - 1})
    assert take("first") == frozenset(range(0, keys.SHARDS, 2)), "its leases have not ended"
    redis.delete(*(keys.lease(shard) for shard in range(1, keys.SHARDS, 2)))
    assert take("first") == every


@pytest.mark.parametrize("ahead", [timedelta(minutes=1), timedelta(hours=9)], ids=str)
def test_leases_from_a_clock_that_was_ahead_do_not_block_others(
    site: VotingService, redis: Redis, ahead: timedelta
) -> None:
    later = round(ahead / timedelta(milliseconds=1))
    for _ in range(2):
        site.maintenance.ledger.take_leases("living"), site.maintenance.ledger.take_leases("dead")
    assert site.maintenance.ledger.take_rebuild_lease("dead")
    dead = [keys.lease(shard) for shard in range(0, keys.SHARDS, 2)]
    for key in (*dead, keys.rebuild_lease()):
        redis.pexpire(key, LEASE_MS + later)
    redis.zadd(keys.readers(), {"dead": time() * 1_000 + later})
    assert site.maintenance.ledger.take_leases("living") == frozenset(range(keys.SHARDS))
    assert site.maintenance.ledger.take_rebuild_lease("living")


def test_when_a_reader_dies_another_takes_over_after_its_lease(
    site: VotingService, redis: Redis
) -> None:
    began = time() * 1_000
    site.maintenance.ledger.take_leases("first")
    latest = time() * 1_000 + LEASE_MS
    for shard in range(keys.SHARDS):
        ends: Any = redis.pexpiretime(keys.lease(shard))
        assert began + LEASE_MS - 1 <= ends <= latest, "a lease ends by itself"
        redis.pexpire(keys.lease(shard), 0 if shard % 2 else LEASE_MS)
    odd = frozenset(range(1, keys.SHARDS, 2))
    assert site.maintenance.ledger.take_leases("second") == odd, "shard by shard, as leases end"
    assert site.maintenance.ledger.take_leases("first") == frozenset(range(keys.SHARDS)) - odd


def test_stopped_reader_does_not_release_leases_of_others(
    site: VotingService, redis: Redis
) -> None:
    site.maintenance.ledger.take_leases("first")
    redis.delete(*(keys.lease(shard) for shard in range(keys.SHARDS)))
    seconds = site.maintenance.ledger.take_leases("second")
    site.maintenance.ledger.drop_leases("first")
    leased = {shard for shard in seconds if redis.get(keys.lease(shard)) == "second"}
    assert leased == seconds == frozenset(range(1, keys.SHARDS, 2))


def test_only_one_process_rebuilds_at_a_time(site: VotingService) -> None:
    assert site.maintenance.ledger.take_rebuild_lease("first")
    assert not site.maintenance.ledger.take_rebuild_lease("second")
    site.maintenance.ledger.drop_rebuild_lease("second")
    assert not site.maintenance.ledger.take_rebuild_lease("second"), "only its holder gives it back"
    site.maintenance.ledger.drop_rebuild_lease("first")
    assert site.maintenance.ledger.take_rebuild_lease("second")
