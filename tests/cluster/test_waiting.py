"""With VOTING_WAIT_REPLICAS, replicas must confirm each vote, and no confirmed vote is lost."""

from time import perf_counter
from typing import Any

import pytest

from tests.cluster.conftest import Report
from tests.cluster.crowds import opened
from tests.cluster.nodes import Cluster
from tests.cluster.sentinels import Watched
from tests.voting.sites import BRAM, PATIENT, vote
from tests.waiting import until
from voting import keys
from voting.errors import StoreUnavailable
from voting.service import VotingService, connect
from voting.types import Order, Rules, Target, Vote

pytestmark = pytest.mark.cluster
TIMED = 1_500
ORDERS = (0, 1, 1, 0)
"""For each round, the number of replicas that must confirm votes.

In this order, both numbers are affected equally if the machine gets slower.
"""


def timed(site: VotingService, first: int) -> float:
    """Cast votes by new people, and return the average time per vote in seconds."""
    began = perf_counter()
    for person in range(first, first + TIMED):
        vote(site, person, 7)
    return (perf_counter() - began) / TIMED


def compare(url: str) -> dict[int, float]:
    """Return the seconds that a vote takes, with and without waiting for a replica.

    The result maps the number of replicas that must confirm a vote (0 or 1) to the seconds.
    """
    taken: dict[int, list[float]] = {0: [], 1: []}
    for turn, wait_replicas in enumerate(ORDERS):
        site = connect(url, Rules(), timeout=PATIENT, wait_replicas=wait_replicas)
        taken[wait_replicas].append(timed(site, 10_000 * (turn + 1)))
    return {n: min(times) for n, times in taken.items()}


@pytest.fixture
def _replicas_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give replicas more time to confirm a vote, because the test machine may be busy."""
    monkeypatch.setattr("voting.redis.replica_acks.WAIT_MS", 20_000)


@pytest.mark.usefixtures("_replicas_take_their_time")
def test_cost_of_wait_replicas_on_a_cluster(shared: Cluster, report: Report) -> None:
    site = opened(shared.url, [7])
    cost = compare(shared.url)
    began = perf_counter()
    for _ in range(TIMED):
        site.listings.page(Order.HOT, 1, viewer=BRAM)
    page = (perf_counter() - began) / TIMED
    report(
        f"on a cluster a vote takes {cost[0] * 1e6:.0f} µs, with one replica to wait for"
        f" {cost[1] * 1e6:.0f} µs; a page of one row {page * 1e6:.0f} µs"
    )


@pytest.mark.usefixtures("_replicas_take_their_time")
def test_cost_of_wait_replicas_with_sentinels(guarded: Watched, report: Report) -> None:
    opened(guarded.url, [7])
    cost = compare(guarded.url)
    report(
        f"behind sentinels a vote takes {cost[0] * 1e6:.0f} µs, with one replica to wait for"
        f" {cost[1] * 1e6:.0f} µs"
    )


def test_vote_is_not_acknowledged_if_too_few_replicas_have_it(guarded: Watched) -> None:
    site = opened(guarded.url, [7], wait_replicas=2)
    until(lambda: vote(site, BRAM, 7), "both replicas have it")
    replica = next(one for one in guarded.servers if one is not guarded.master())
    replica.hang()
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=r"[01] of 2 replicas have"):
            vote(site, BRAM, 7, Vote.DOWN)
        with pytest.raises(StoreUnavailable, match=r"[01] of 2 replicas have"):
            site.votes.cast(BRAM, Target(7), Vote.DOWN, with_row=True)
    assert site.posts.rows([7], viewer=BRAM)[0].vote is Vote.DOWN, "the vote may still count"
    replica.go_on()
    again = until(lambda: vote(site, BRAM, 7, Vote.DOWN), "asked again it is acknowledged")
    assert not again.changed, "once"


def test_waiting_writes_one_key_per_hash_tag(guarded: Watched) -> None:
    site = opened(guarded.url, [7], wait_replicas=1)
    until(lambda: vote(site, BRAM, 7), "a replica has it")
    found: Any = list(guarded.master().plain.scan_iter("*:held"))
    assert found == [keys.wait_marker(keys.shard_tag(7))]
    site.maintenance.generations.close()
    site.maintenance.generations.clear()
    assert not list(guarded.master().plain.scan_iter("*:held"))
