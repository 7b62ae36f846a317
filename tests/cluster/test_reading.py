"""With VOTING_READ_REPLICAS and sentinels, guests read from replicas, members from the master."""

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import pytest
from redis.connection import Connection
from redis.exceptions import TimeoutError as RedisTimeoutError

from tests.cluster.nodes import Node
from tests.cluster.sentinels import Watched
from tests.cluster.turns import Line
from tests.voting.sites import ADA, BRAM, PATIENT, ids, publish, site_at, vote
from tests.waiting import until
from voting.errors import StoreEmpty
from voting.service import VotingService, connect, parse_mix
from voting.types import Order, Page, Rules, Vote

pytestmark = pytest.mark.cluster
PAGES = 20
IMPATIENT = 1.5
"""The voting service's timeout in seconds, for tests in which a server hangs."""


def opened(guarded: Watched, timeout: float = PATIENT) -> VotingService:
    """Return a voting service with two posts that have already reached all replicas."""
    site = connect(guarded.url, Rules(), timeout=timeout, read_replicas=True)
    site.maintenance.generations.open()
    publish(site, 7, groups=("lua", "python"))
    publish(site, 8, groups=("python",))
    settled(guarded)
    return site


def settled(guarded: Watched) -> None:
    """Wait until the replicas have received all data of their master."""

    def done() -> bool:
        master = guarded.master()
        replicas = len(replicas_of(guarded, master))
        with master.plain as plain:
            plain.set("written", 1)  # WAIT waits only for writes of its own connection
            return bool(plain.wait(replicas, 1_000) == replicas)

    until(done, "the replicas have it all")


def replicas_of(guarded: Watched, master: Node) -> list[Node]:
    living = [one for one in guarded.servers if one.process and one.process.poll() is None]
    return [one for one in living if one is not master]


def scripts_run(*nodes: Node) -> int:
    """Return the total number of scripts that clients have run on these servers."""
    counts = [one.plain.info("commandstats") for one in nodes]
    names = ("cmdstat_evalsha", "cmdstat_eval")
    return sum(int(count[name]["calls"]) for count in counts for name in names if name in count)


def guest(site: VotingService) -> Page:
    return site.listings.page(Order.NEW, 1)


def asks(site: VotingService, *nodes: Node) -> bool:
    """Read a page as a guest, and return whether one of the given servers ran a script for it."""
    before = scripts_run(*nodes)
    guest(site)
    return scripts_run(*nodes) > before


@contextmanager
def silenced(nodes: list[Node]) -> Iterator[None]:
    """Suspend servers until the `with` block ends."""
    for one in nodes:
        one.hang()
    try:
        yield
    finally:
        for one in nodes:
            one.go_on()


def test_guests_read_from_replicas_and_members_from_the_master(
    guarded: Watched, line: Line
) -> None:
    site = opened(guarded)
    master = guarded.master()
    replicas = replicas_of(guarded, master)
    for _ in replicas:
        guest(site)  # the servers have loaded the script now
    before = scripts_run(master), scripts_run(*replicas)
    trips = []
    for _ in range(PAGES):
        with line.counting():
            assert ids(guest(site)) == [8, 7]
        trips.append(line.round_trips)
    assert median(trips) == 1, "every ten seconds the replicas are looked up"
    assert [row.id for row in site.posts.rows([7, 8])] == [7, 8]
    assert scripts_run(master) == before[0]
    assert scripts_run(*replicas) >= before[1] + PAGES + 1
    assert all(scripts_run(one) > PAGES // 2 for one in replicas), "they take turns"

    answered = scripts_run(*replicas)
    for person in range(100, 100 + PAGES):
        vote(site, person, 7)
        row = next(
            row for row in site.listings.page(Order.NEW, 1, viewer=person).rows if row.id == 7
        )
        assert row.vote is Vote.UP, "a member sees their own vote at once"
    assert scripts_run(*replicas) == answered, "however long a replica takes to have it"


def test_pages_that_write_are_read_from_the_master(guarded: Watched) -> None:
    site = opened(guarded)
    for _ in range(4):
        assert ids(site.listings.page(Order.TOP_DAY, 1)) == [8, 7]
        assert ids(site.listings.page(Order.NEW, 1, group=parse_mix("python&lua"))) == [7]
    assert scripts_run(*replicas_of(guarded, guarded.master())) == 0


def test_without_the_setting_no_replica_is_asked(guarded: Watched) -> None:
    opened(guarded)
    site = site_at(guarded.url)
    for _ in range(PAGES):
        assert ids(guest(site)) == [8, 7]
    assert scripts_run(*replicas_of(guarded, guarded.master())) == 0


def test_guests_read_from_remaining_replicas_and_then_the_master(
    guarded: Watched,
) -> None:
    site = opened(guarded)
    master = guarded.master()
    first, second = replicas_of(guarded, master)
    assert ids(guest(site)) == [8, 7]
    first.kill()
    before, others = scripts_run(master), scripts_run(second)
    for _ in range(PAGES):
        assert ids(guest(site)) == [8, 7]
    assert scripts_run(master) == before, "the other replica is enough"
    assert scripts_run(second) >= others + PAGES
    second.kill()
    for _ in range(PAGES):
        assert ids(guest(site)) == [8, 7]
    assert scripts_run(master) >= before + PAGES


def test_guests_do_not_queue_for_replicas_that_hang(
    guarded: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = opened(guarded, IMPATIENT)
    waited: list[object] = []
    read: Any = Connection.read_response

    def reading(self: Any, *args: Any, **options: Any) -> Any:
        try:
            return read(self, *args, **options)
        except RedisTimeoutError as error:
            waited.append(error)
            raise

    for _ in range(4):
        guest(site)
    monkeypatch.setattr(Connection, "read_response", reading)
    with silenced(replicas_of(guarded, guarded.master())):
        for _ in range(3 * PAGES):
            assert ids(guest(site)) == [8, 7]
    assert 0 < len(waited) <= PAGES, "most pages did not ask them"


def test_replica_without_its_master_is_not_used(guarded: Watched) -> None:
    site = opened(guarded)
    master = guarded.master()
    replicas = replicas_of(guarded, master)
    assert ids(guest(site)) == [8, 7]
    with silenced(guarded.sentinels):  # otherwise the sentinels would repair the replication
        for one in replicas:
            one.ask("REPLICAOF", "127.0.0.1", 1)
        publish(site, 9)
        for _ in range(PAGES):
            assert ids(guest(site)) == [9, 8, 7], "nobody reads old data"
        assert replicas[0].ask("EXISTS", "{s09}:post:9") == 0
        for one in replicas:
            one.ask("REPLICAOF", "127.0.0.1", master.port)
    until(lambda: asks(site, *replicas), "they are asked again")


def test_after_a_failover_guests_read_from_the_new_replicas(guarded: Watched) -> None:
    site = opened(guarded)
    old = guarded.master()
    assert ids(guest(site)) == [8, 7]
    guarded.hurry()
    old.kill()
    until(lambda: guarded.master() is not old, "another one is master")
    until(lambda: vote(site, BRAM, 7).changed, "votes are taken again")
    new = guarded.master()
    (replica,) = replicas_of(guarded, new)
    until(lambda: asks(site, replica), "the other one is read")
    settled(guarded)
    assert next(row.up for row in guest(site).rows if row.id == 7) == 2
    assert site.listings.page(Order.NEW, 1, viewer=ADA).rows[0].vote is Vote.UP
    old.start()
    until(lambda: old.plain.info("replication")["role"] == "slave", "the old one is a replica")
    until(lambda: asks(site, old), "it is read in its turn")


def test_emptied_store_raises_for_guests_too(guarded: Watched) -> None:
    site = opened(guarded)
    assert ids(guest(site)) == [8, 7]
    guarded.master().ask("FLUSHALL")
    settled(guarded)
    with pytest.raises(StoreEmpty):
        guest(site)
