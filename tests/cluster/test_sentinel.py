"""A master that sentinels watch dies during votes, and the voting service finds the new master."""

import pytest

from tests.cluster.conftest import Report
from tests.cluster.crowds import Crowd, opened
from tests.cluster.sentinels import Watched
from tests.voting.sites import BRAM, vote
from tests.voting.stored_state import misplaced
from tests.waiting import until
from voting.errors import StoreUnavailable
from voting.service import connect
from voting.types import Order, Rules, Vote

pytestmark = pytest.mark.cluster
POSTS = range(1, 9)


@pytest.mark.parametrize("wait_replicas", [0, 1])
def test_a_master_dies_while_people_vote(
    guarded: Watched, wait_replicas: int, report: Report
) -> None:
    site = opened(guarded.url, POSTS, wait_replicas)
    sites = [connect(guarded.url, Rules(), wait_replicas=wait_replicas) for _ in range(4)]
    crowd = Crowd(sites, POSTS)
    with crowd.voting():
        until(lambda: len(crowd.acknowledged) > 300, "people vote")
        dying = guarded.master()
        guarded.hurry()
        dying.kill()
        reached = len(crowd.acknowledged)
        until(lambda: len(crowd.acknowledged) > reached + 100, "votes are taken again")
    assert not crowd.surprises, "all failures are StoreUnavailable"
    lost = crowd.lost(site)
    report(
        f"sentinels, the master dies, VOTING_WAIT_REPLICAS={wait_replicas}: acknowledged"
        f" {len(crowd.acknowledged)}, lost {len(lost)}, refused {len(crowd.refused)}, longest"
        f" outage {crowd.longest_outage():.1f} s"
    )
    assert not (wait_replicas and lost), "a replica had every acknowledged vote"
    assert misplaced(site, POSTS) == {}
    assert guarded.master() is not dying


def test_demoted_master_that_still_answers_is_not_used(guarded: Watched) -> None:
    site = opened(guarded.url, POSTS)
    old = guarded.master()
    guarded.sentinels[0].ask("SENTINEL", "FAILOVER", "votes")
    until(lambda: old.plain.info("replication")["role"] == "slave", "the old one is demoted")
    until(lambda: vote(site, BRAM, 7), "votes go to the new master")
    assert guarded.master().ask("HGET", "{s07}:post:7", "tally").startswith("2 0 ")
    assert site.listings.page(Order.HOT, 1, viewer=BRAM).rows[0].vote is Vote.UP


def test_voting_is_unavailable_if_no_sentinel_answers() -> None:
    site = connect("redis+sentinel://127.0.0.1:1,127.0.0.1:2/votes", Rules())
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="no sentinel knows a running master of votes"):
            site.maintenance.server.ping()


def test_error_names_an_unknown_service(guarded: Watched) -> None:
    site = connect(guarded.url.replace("/votes", "/posts"), Rules())
    with pytest.raises(StoreUnavailable, match="posts"):
        site.listings.page(Order.HOT, 1)
