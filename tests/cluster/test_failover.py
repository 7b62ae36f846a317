"""A master of a cluster dies while people vote. Tests measure the outage and the lost votes."""

import pytest

from tests.cluster.conftest import Report
from tests.cluster.crowds import Crowd, opened, read_ledger
from tests.cluster.nodes import Cluster, Node
from tests.voting.sites import BRAM, listed, vote
from tests.voting.stored_state import misplaced
from tests.waiting import until
from voting import keys
from voting.errors import StoreUnavailable
from voting.service import connect
from voting.types import Order, Rules, Target, Vote

pytestmark = pytest.mark.cluster
POSTS = range(1, 65)
"""Ids of posts, one in each shard, so that every server has posts."""


def posts_on(cluster: Cluster, node: Node) -> list[int]:
    return [post for post in POSTS if cluster.master_of(keys.post(post)) is node]


def come_back(cluster: Cluster, dead: Node, post: int) -> None:
    """Wait until a replica has replaced a dead master, and start the old master as its replica."""
    until(lambda: cluster.master_of(keys.post(post)) is not dead, "the replica takes over")
    dead.start()


@pytest.mark.parametrize("wait_replicas", [0, 1])
@pytest.mark.parametrize("hurt", ["a shard", "the rankings"])
def test_a_master_dies_while_people_vote(
    cluster: Cluster, wait_replicas: int, hurt: str, report: Report
) -> None:
    site = opened(cluster.url, POSTS, wait_replicas)
    ranks = cluster.master_of(keys.ranking(Order.HOT))
    others = [one for one in cluster.nodes[:3] if one is not ranks]
    dying = ranks if hurt == "the rankings" else others[0]
    concerned = posts_on(cluster, dying)
    sites = [connect(cluster.url, Rules(), wait_replicas=wait_replicas) for _ in range(4)]
    crowd = Crowd(sites, POSTS)
    with crowd.voting():
        until(lambda: len(crowd.acknowledged) > 300, "people vote")
        cluster.hurry()
        dying.kill()
        reached = {post: len(crowd.times[post]) for post in concerned}
        if wait_replicas:
            come_back(cluster, dying, concerned[0])
        until(
            lambda: all(len(crowd.times[post]) > n + 2 for post, n in reached.items()),
            "votes on every post are taken again",
        )
    assert not crowd.surprises, "all failures are StoreUnavailable"
    lost = crowd.lost(site)
    figures = (
        f"{hurt} dies, VOTING_WAIT_REPLICAS={wait_replicas}: acknowledged"
        f" {len(crowd.acknowledged)}, lost {len(lost)}, refused {len(crowd.refused)}, longest"
        f" outage {crowd.longest_outage(concerned):.1f} s"
    )
    report(figures)
    assert not (wait_replicas and lost), "a replica had every acknowledged vote"

    assert read_ledger(site)
    assert misplaced(site, POSTS) == {}, "rankings are corrected from the ledger"
    assert sorted(listed(site)) == list(POSTS)


def test_a_killed_master_comes_back_as_a_replica(cluster: Cluster) -> None:
    site = opened(cluster.url, POSTS)
    dying = cluster.master_of(keys.post(7))
    cluster.hurry()
    dying.kill()
    until(lambda: vote(site, BRAM, 7), "votes are taken again")
    dying.start()
    cluster.wait_whole()
    assert cluster.master_of(keys.post(7)) is not dying
    assert site.posts.rows([7], viewer=BRAM)[0].vote is Vote.UP


def disconnect_replica(cluster: Cluster, key: str) -> tuple[Node, Node]:
    """Suspend the replica of the master that stores a key. Return this master and the replica."""
    cluster.hurry()
    master = cluster.master_of(key)
    replica = cluster.nodes[cluster.nodes.index(master) + 3]
    replica.hang()
    master.ask("CLIENT", "KILL", "TYPE", "replica")
    return master, replica


def test_with_wait_replicas_a_lost_vote_was_never_acknowledged(
    cluster: Cluster,
) -> None:
    site = opened(cluster.url, POSTS, wait_replicas=1)
    master, replica = disconnect_replica(cluster, keys.post(7))
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="0 of 1 replicas have"):
            vote(site, BRAM, 7)
    master.kill()
    replica.go_on()
    come_back(cluster, master, 7)
    again = until(lambda: site.votes.cast(BRAM, Target(7), Vote.UP), "the replica takes over")
    assert again.up == 2, "the lost vote was synced again"


def test_without_wait_replicas_a_vote_can_be_lost_and_the_next_one_corrects_the_ranking(
    cluster: Cluster,
) -> None:
    site = opened(cluster.url, POSTS)
    master, replica = disconnect_replica(cluster, keys.post(7))
    assert vote(site, BRAM, 7).up == 2, "acknowledged by the master alone"
    master.kill()
    replica.go_on()
    standing = until(lambda: site.posts.standing(7), "the replica takes over")
    assert standing.up == 1, "replication is asynchronous: this vote is lost"
    site.maintenance.ledger.rerank([7])
    assert misplaced(site, [7]) == {}


def test_votes_count_while_the_rankings_are_down_and_are_ranked_later(cluster: Cluster) -> None:
    site, hurried = opened(cluster.url, POSTS), connect(cluster.url, Rules())
    ranks = cluster.master_of(keys.ranking(Order.HOT))
    post = next(post for post in POSTS if cluster.master_of(keys.post(post)) is not ranks)
    ranks.hang()
    until(lambda: vote(hurried, BRAM, post).up == 2, "its own slot has it")
    with pytest.raises(StoreUnavailable):
        hurried.listings.page(Order.HOT, 1)
    ranks.go_on()
    until(lambda: read_ledger(site), "the reader goes on")
    assert misplaced(site, [post]) == {}
    assert listed(site, Order.HOT)[0] == post
