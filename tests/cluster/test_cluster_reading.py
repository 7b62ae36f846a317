"""With VOTING_READ_REPLICAS, replicas answer guests' requests, without additional round trips."""

from functools import partial
from statistics import median

import pytest

from tests.cluster.nodes import MASTERS, Cluster, Node
from tests.cluster.test_reading import PAGES, asks, guest, scripts_run
from tests.cluster.turns import Line
from tests.voting.sites import PATIENT, ids, publish, site_at, vote
from tests.waiting import until
from voting import keys
from voting.service import VotingService, connect, parse_mix
from voting.types import Order, Rules, Vote

pytestmark = pytest.mark.cluster
POSTS = list(range(30, 0, -1))
SHOWN = POSTS[:25]


def opened(cluster: Cluster) -> VotingService:
    """Return a voting service with posts that have already reached all replicas."""
    until(lambda: all(knows_replicas(one) for one in cluster.nodes), "all know the replicas")
    site = connect(cluster.url, Rules(), timeout=PATIENT, read_replicas=True)
    site.maintenance.generations.open()
    for post in reversed(POSTS):
        publish(site, post, groups=("lua", "python"))
    settled(cluster)
    return site


def knows_replicas(node: Node) -> bool:
    """Return whether a server knows a replica of every master."""
    return all(len(servers) == 2 for _, _, *servers in node.ask("CLUSTER", "SLOTS"))


def settled(cluster: Cluster) -> None:
    """Wait until every replica has received all data of its master."""
    for one in masters_of(cluster):
        with one.plain as plain:
            key = next(key for key in map(str, range(99)) if cluster.master_of(key) is one)
            plain.set(key, 1)
            until(partial(plain.wait, 1, 1_000), "the replica has it all")


def masters_of(cluster: Cluster) -> list[Node]:
    found = {cluster.master_of(keys.generation(tag)).port for tag in keys.tags()}
    return [one for one in cluster.nodes if one.port in found]


def test_guests_read_from_replicas_and_members_from_masters(cluster: Cluster, line: Line) -> None:
    site = opened(cluster)
    masters = masters_of(cluster)
    replicas = [one for one in cluster.nodes if one not in masters]
    assert len(masters) == len(replicas) == MASTERS
    assert ids(guest(site)) == SHOWN  # the servers have loaded the scripts now
    before = scripts_run(*masters), [scripts_run(one) for one in replicas]
    trips = []
    for _ in range(PAGES):
        with line.counting():
            assert ids(guest(site)) == SHOWN
        trips.append(line.round_trips)
    assert median(trips) == 2, "ids, then rows; every ten seconds the replicas are looked up"
    assert [row.id for row in site.posts.rows(SHOWN)] == SHOWN
    assert scripts_run(*masters) == before[0]
    for one, count in zip(replicas, before[1], strict=True):
        assert scripts_run(one) >= count + PAGES
    for person in range(100, 100 + PAGES):
        vote(site, person, 30)
        first = site.listings.page(Order.NEW, 1, viewer=person).rows[0]
        assert first.vote is Vote.UP, "a member sees their own vote at once"
    after = [scripts_run(one) for one in replicas]
    assert len(site.listings.page(Order.TOP_DAY, 1).rows) == 25
    assert len(site.listings.page(Order.NEW, 1, group=parse_mix("python&lua")).rows) == 25
    assert [scripts_run(one) for one in replicas] == after, "writes go to masters"


def test_guests_can_read_after_replicas_and_masters_die(cluster: Cluster) -> None:
    site = opened(cluster)
    masters = masters_of(cluster)
    ranks = cluster.master_of(keys.ranking(Order.HOT))
    replicas = [one for one in cluster.nodes if one not in masters]
    assert ids(guest(site)) == SHOWN
    lost = next(one for one in replicas if follows(one, ranks))
    lost.kill()
    before = scripts_run(ranks)
    for _ in range(PAGES):
        assert ids(guest(site)) == SHOWN
    assert scripts_run(ranks) >= before + PAGES, "its master is read instead"
    lost.start()
    cluster.wait_whole()
    until(lambda: asks(site, lost), "it is read again")

    cluster.hurry()
    ranks.kill()
    until(lambda: cluster.master_of(keys.ranking(Order.HOT)) is lost, "it is the master now")
    until(lambda: ids(guest(site)) == SHOWN, "guests read on")


def follows(replica: Node, master: Node) -> bool:
    return int(replica.plain.info("replication")["master_port"]) == master.port


def test_without_the_setting_no_replica_is_asked(cluster: Cluster) -> None:
    opened(cluster)
    site = site_at(cluster.url)
    replicas = [one for one in cluster.nodes if one not in masters_of(cluster)]
    for _ in range(PAGES):
        assert ids(guest(site)) == SHOWN
    assert scripts_run(*replicas) == 0
