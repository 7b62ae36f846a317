"""A shard moves to another server while people vote on its posts."""

from collections.abc import Callable

import pytest
from redis.crc import key_slot
from redis.exceptions import ResponseError

from tests.cluster.conftest import Report
from tests.cluster.crowds import Crowd, read_ledger
from tests.cluster.nodes import Cluster, Node
from tests.voting.sites import BRAM, CLEO, publish, site_at, vote
from tests.voting.stored_state import misplaced
from tests.waiting import until
from voting import keys
from voting.service import VotingService, connect
from voting.types import Rules

pytestmark = pytest.mark.cluster
MOVED_POST = 7
POSTS = (MOVED_POST, MOVED_POST + 64, 8, 9, 10)
"""The first two posts are in the shard that moves, the others are in other shards."""
SLOT = key_slot(keys.shard_tag(MOVED_POST)[1:-1].encode())
VOTERS = 3_000
"""Number of people who vote on the post that moves, so that the move takes a while."""


def name(node: Node) -> str:
    """Return the id of a server in the cluster."""
    return str(node.ask("CLUSTER", "MYID"))


def in_pieces(cluster: Cluster, source: Node, target: Node) -> None:
    """Move the keys of `SLOT` to another server one by one, as any version of Valkey can."""
    new = name(target)
    target.ask("CLUSTER", "SETSLOT", SLOT, "IMPORTING", name(source))
    source.ask("CLUSTER", "SETSLOT", SLOT, "MIGRATING", new)
    while found := source.ask("CLUSTER", "GETKEYSINSLOT", SLOT, 1):
        source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5_000, "KEYS", *found)
    for one in (target, source, *cluster.nodes[:3]):
        one.ask("CLUSTER", "SETSLOT", SLOT, "NODE", new)


def at_once(_: Cluster, source: Node, target: Node) -> None:
    """Move the slot `SLOT` to another server with a single command, which Valkey 9 supports."""
    try:
        source.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", SLOT, SLOT, "NODE", name(target))
    except ResponseError as error:
        pytest.skip(f"this server moves slots in pieces only: {error}")


@pytest.mark.parametrize("move", [in_pieces, at_once])
def test_a_shard_moves_while_people_vote_and_no_vote_is_lost(
    shared: Cluster, move: Callable[[Cluster, Node, Node], None], report: Report
) -> None:
    site = opened(shared)
    source = shared.master_of(keys.post(MOVED_POST))
    target = next(one for one in shared.nodes[:3] if one is not source)
    sites = [connect(shared.url, Rules()) for _ in range(3)]
    crowd = Crowd(sites, POSTS)
    with crowd.voting():
        until(lambda: len(crowd.acknowledged) > 200, "people vote")
        move(shared, source, target)
        until(lambda: shared.master_of(keys.post(MOVED_POST)) is target, "the slot has moved")
        reached = len(crowd.times[MOVED_POST])
        until(lambda: len(crowd.times[MOVED_POST]) > reached + 20, "people go on voting")
    assert not crowd.surprises, "all failures are StoreUnavailable"
    assert crowd.lost(site) == set()
    report(
        f"a shard moves {move.__name__}: acknowledged {len(crowd.acknowledged)}, lost 0, refused"
        f" {len(crowd.refused)}, longest outage {crowd.longest_outage(POSTS[:2]):.2f} s"
    )
    read_ledger(site)
    assert misplaced(site, POSTS) == {}


def test_slow_server_without_scripts_or_keys_is_handled(
    shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = opened(shared)
    vote(site, BRAM, 8)
    monkeypatch.setattr("voting.redis.cluster.requests.PATIENCE", 0.0)
    for one in shared.nodes[:3]:
        one.ask("SCRIPT", "FLUSH")
    assert vote(site, CLEO, 8).changed, "they load the scripts"
    source = shared.master_of(keys.post(MOVED_POST))
    in_pieces(shared, source, next(one for one in shared.nodes[:3] if one is not source))
    for one in shared.nodes[:3]:
        one.ask("SCRIPT", "FLUSH")
    assert vote(site, CLEO, MOVED_POST).changed, (
        "one redirects to the key's server, one loads the script"
    )


def opened(cluster: Cluster) -> VotingService:
    """Return a voting service with some posts, and with many votes on the first post."""
    site = site_at(cluster.url)
    site.maintenance.generations.close()
    site.maintenance.generations.clear()
    site.maintenance.generations.open()
    for post in POSTS:
        publish(site, post)
    for person in range(1_000_000, 1_000_000 + VOTERS // 10):
        vote(site, person, MOVED_POST)
    return site
