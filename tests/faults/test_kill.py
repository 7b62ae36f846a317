"""If Valkey is killed while people vote, every acknowledged vote counts after the restart."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event
from time import sleep

import pytest
from redis import Redis

from tests.voting.servers import Server, own_server
from tests.voting.sites import ADA, publish, vote
from tests.voting.stored_state import assert_fits, ledger, replayed, voters
from tests.waiting import set_at_end, until
from voting.errors import StoreUnavailable
from voting.service import VotingService
from voting.types import Vote

POSTS = (3, 64, 67, 70, 131)
THREADS = 8

pytestmark = pytest.mark.faults


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A Valkey server with the settings that `up` uses."""
    with own_server(tmp_path) as own:
        yield own


class Voters:
    """People who vote in eight threads, and a record of the votes that Valkey acknowledged."""

    def __init__(self, site: VotingService) -> None:
        self.site = site
        self.stop = Event()
        self.counted: dict[tuple[int, int], Vote] = {}
        """The last acknowledged vote of each person on each post, by person and post."""
        self.unsure: dict[tuple[int, int], set[Vote]] = {}
        """For each person and post, the votes without a reply since the last acknowledged vote.

        Each of these votes may count or not.
        """
        self.acknowledged = 0

    def run(self, thread: int) -> None:
        """Cast random votes until the test ends."""
        chance = Random(thread)
        while not self.stop.is_set():
            person, post_id = 100 * (thread + 1) + chance.randrange(12), chance.choice(POSTS)
            wanted = chance.choice(list(Vote))
            try:
                vote(self.site, person, post_id, wanted)
            except StoreUnavailable:
                self.unsure.setdefault((person, post_id), set()).add(wanted)
                self.stop.wait(0.01)
            else:
                self.counted[person, post_id] = wanted
                self.unsure.pop((person, post_id), None)
                self.acknowledged += 1

    def vote_on(self, votes: int) -> None:
        """Wait until Valkey has acknowledged more than `votes` votes since this call."""
        enough = self.acknowledged + votes
        until(lambda: self.acknowledged > enough, "people vote")

    def assert_kept(self, redis: Redis) -> None:
        """Assert that Redis has every acknowledged vote, and no vote that nobody cast."""
        for post_id in POSTS:
            ups, downs = voters(redis, post_id)
            people = {person for person, on in self.counted if on == post_id}
            for person in people:
                found = Vote((person in ups) - (person in downs))
                last = self.counted[person, post_id]
                possible = {last} | self.unsure.get((person, post_id), set())
                assert found in possible, (
                    f"the vote {last.name} of person {person} on post {post_id} was acknowledged,"
                    f" and now it is {found.name}"
                )
            unsure = {person for person, on in self.unsure if on == post_id}
            assert ups | downs <= people | unsure | {ADA}, "nobody votes who did not"


@pytest.mark.short
def test_kill_while_people_vote_loses_no_acknowledged_vote(server: Server) -> None:
    site = server.opened()
    for post_id in POSTS:
        publish(site, post_id, groups=("python", "redis"))
    people = Voters(site)
    with ThreadPoolExecutor(THREADS) as pool, set_at_end(people.stop):
        running = [pool.submit(people.run, thread) for thread in range(THREADS)]
        for _ in range(2):
            people.vote_on(400)
            server.kill()
            sleep(0.05)
            server.start()
        people.vote_on(200)
        server.kill()
    for one in running:
        one.result()
    server.start()
    with server.plain() as plain:
        people.assert_kept(plain)
        assert_fits(plain, server.asked_again(), POSTS)
        for post_id in POSTS:
            assert replayed(plain, post_id) == voters(plain, post_id), "nothing is half done"


def test_kill_while_people_post_leaves_no_acknowledged_post_incomplete(server: Server) -> None:
    site = server.opened()
    acknowledged: list[int] = []
    stop = Event()

    def publishes(thread: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                publish(site, number * 4 + thread, groups=("python", "redis"))
            except StoreUnavailable:
                return
            acknowledged.append(number * 4 + thread)

    with ThreadPoolExecutor(4) as pool, set_at_end(stop):
        running = [pool.submit(publishes, thread) for thread in range(4)]
        until(lambda: len(acknowledged) > 300, "people publish")
        server.kill()
    for one in running:
        one.result()
    server.start()
    with server.plain() as plain:
        again = server.asked_again()
        assert len(again.posts.rows(acknowledged)) == len(acknowledged)
        listed = sorted(set(again.maintenance.listed_posts.scan(None)))
        assert set(acknowledged) <= set(listed)
        assert_fits(plain, again, listed)
        assert all(len(ledger(plain, post_id)) == 1 for post_id in listed)


def test_acknowledged_vote_can_be_repeated_after_a_kill(server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    vote(site, 50, 7, Vote.DOWN)
    generation = site.maintenance.generations.current()
    server.kill()
    with pytest.raises(StoreUnavailable):
        vote(site, 51, 7)
    server.start()
    again = until(lambda: vote(site, 50, 7, Vote.DOWN), "votes are taken again")
    assert not again.changed
    assert site.maintenance.generations.current() == generation, "nothing has to be rebuilt"
