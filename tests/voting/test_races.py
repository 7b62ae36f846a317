"""After several threads have made changes in parallel, the data in Redis is consistent."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from random import Random
from threading import Barrier

import pytest
from redis import Redis

from tests.voting.sites import ADA, BRAM, listed, made, publish, record, vote
from tests.voting.stored_state import (
    assert_fits,
    expected_whereabouts,
    ledger,
    tallies,
    voters,
    whereabouts,
)
from voting import keys
from voting.errors import UnknownTarget
from voting.redis.encoding import row_parts
from voting.service import VotingService
from voting.types import Order, Vote

POSTS = (3, 64, 67, 70, 131)
"""Post ids, some of which are in the same shard."""


def at_once(threads: int, work: Callable[[int], object]) -> None:
    """Run `work` in threads that start together. Each call gets the number of its thread."""
    line = Barrier(threads)

    def begin(number: int) -> None:
        line.wait()
        work(number)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(begin, range(threads)))


@pytest.mark.parametrize("wanted", [Vote.UP, Vote.DOWN])
def test_fifty_parallel_identical_votes_count_once(
    site: VotingService, redis: Redis, wanted: Vote
) -> None:
    publish(site, 7)
    changed: list[bool] = []
    at_once(50, lambda _: changed.append(vote(site, BRAM, 7, wanted).changed))
    assert changed.count(True) == 1, "exactly one of the fifty made the change"
    assert tallies(redis, 7) == ((2, 0) if wanted is Vote.UP else (1, 1))
    assert [entry[0] for entry in ledger(redis, 7)] == [ADA, BRAM]
    assert_fits(redis, site, [7])


def test_thousands_of_parallel_votes_give_exact_results(site: VotingService, redis: Redis) -> None:
    for post_id in POSTS:
        publish(site, post_id, groups=("python", "redis"))
    changes: list[int] = []

    def votes(thread: int) -> None:
        chance, made_changes = Random(thread), 0
        for _ in range(500):
            person, post_id = chance.randrange(1, 40), chance.choice(POSTS)
            made_changes += vote(site, person, post_id, chance.choice(list(Vote))).changed
        changes.append(made_changes)

    at_once(8, votes)
    entries = sum(len(ledger(redis, post_id)) for post_id in POSTS)
    assert entries == sum(changes) + len(POSTS), "one ledger entry for each acknowledged change"
    assert_fits(redis, site, POSTS)
    for order in Order:
        assert listed(site, order, "python") == listed(site, order, "redis") == listed(site, order)


def test_each_persons_last_vote_counts_among_parallel_votes(
    site: VotingService, redis: Redis
) -> None:
    for post_id in POSTS:
        publish(site, post_id)
    last: dict[tuple[int, int], Vote] = {}

    def votes(thread: int) -> None:
        chance, person = Random(thread), 100 + thread
        for _ in range(150):
            post_id = chance.choice(POSTS)
            last[post_id, person] = vote(site, person, post_id, chance.choice(list(Vote))).vote

    at_once(8, votes)
    for (post_id, person), wanted in last.items():
        ups, downs = voters(redis, post_id)
        assert (person in ups) - (person in downs) == wanted, (
            f"person {person} last voted {wanted.name} on post {post_id}"
        )
    assert_fits(redis, site, POSTS)


def test_publishing_in_many_processes_at_once_gives_one_author_vote(
    site: VotingService, redis: Redis
) -> None:
    at_once(16, lambda number: publish(site, 7, version=1 + number % 4))
    assert tallies(redis, 7) == (1, 0)
    assert ledger(redis, 7) == [(ADA, 1, 1, 0)]
    assert site.posts.rows([7])[0].card == "post 7, version 4", "the latest version wins"
    assert_fits(redis, site, [7])


@pytest.mark.parametrize("seed", range(3))
def test_parallel_changes_leave_no_stale_entries(
    site: VotingService, redis: Redis, seed: int
) -> None:
    names = ("a", "b", "c", "d")
    for post_id in POSTS:
        publish(site, post_id, groups=("a",))

    def meddle(thread: int) -> None:
        chance = Random(f"{seed} {thread}")
        for step in range(60):
            post_id, some = chance.choice(POSTS), chance.sample(names, 2)
            deeds = (
                partial(vote, site, thread + 50, post_id, chance.choice(list(Vote))),
                partial(site.posts.retract, post_id),
                partial(publish, site, post_id, groups=some, version=step),
            )
            with suppress(UnknownTarget):
                chance.choice(deeds)()

    at_once(6, meddle)
    found = site.maintenance.inspection.posts(POSTS)
    for post_id in POSTS:
        expected = (
            set() if found[post_id].retracted else expected_whereabouts(_groups(redis, post_id))
        )
        assert whereabouts(redis, post_id) == expected, (
            f"post {post_id} is in the rankings of its groups"
        )
    assert_fits(redis, site, POSTS)


def _groups(redis: Redis, post_id: int) -> tuple[str, ...]:
    return row_parts(str(redis.hget(keys.post(post_id), "row"))).groups


def test_publishing_and_voting_in_parallel_do_not_interfere(
    site: VotingService, redis: Redis
) -> None:
    people, posts = range(100, 160), range(1, 121)
    archived = [record(made(site, post_id), ups=(ADA, *people)) for post_id in posts]

    def work(thread: int) -> None:
        if thread % 2:
            site.maintenance.loading.load_posts(archived)
            return
        for post_id in posts:
            taken = False
            while not taken:
                with suppress(UnknownTarget):
                    taken = vote(site, people[thread], post_id, Vote.NONE).changed

    at_once(8, work)
    assert_fits(redis, site, posts, whole_ledger=False)
    for post_id in posts:
        assert len(ledger(redis, post_id)) == 4
        assert voters(redis, post_id) == ({ADA, *people} - set(people[:8:2]), set())
    assert not list(redis.scan_iter("*:voters:*")), "no temporary voter sets are left"
