"""People who keep voting, and a record of the votes that Redis acknowledged."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from threading import Event, Lock, Thread
from time import monotonic, sleep

from tests.voting.sites import PATIENT, publish, site_at, vote
from voting.errors import StoreUnavailable
from voting.service import VotingService, connect
from voting.types import Rules, Vote

SLOW = 0.002
"""Seconds that a voter waits after each vote, to leave the servers enough CPU time."""


def opened(url: str, posts: Iterable[int], wait_replicas: int = 0) -> VotingService:
    """Publish posts through a new voting service with a long timeout, and return the service."""
    patient = site_at(url)
    patient.maintenance.generations.open()
    for post in posts:
        publish(patient, post)
    return connect(url, Rules(), timeout=PATIENT, wait_replicas=wait_replicas)


@dataclass
class Crowd:
    """People who vote, and a record of their acknowledged votes by person and post."""

    sites: Sequence[VotingService]
    posts: Sequence[int]
    acknowledged: dict[tuple[int, int], Vote] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    surprises: list[BaseException] = field(default_factory=list)
    times: dict[int, list[float]] = field(default_factory=dict)
    """For each post, the times at which Redis acknowledged a vote on it."""
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def voting(self) -> Iterator["Crowd"]:
        """Let people vote until the `with` block ends. Each person votes once on each post."""
        self.times = {post: [monotonic()] for post in self.posts}
        ending = Event()
        threads = [
            Thread(target=self._votes, args=(site, 10_000 * (n + 1), ending), daemon=True)
            for n, site in enumerate(self.sites)
        ]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            ending.set()
            for thread in threads:
                thread.join(120)

    def _votes(self, site: VotingService, first: int, ending: Event) -> None:
        try:
            for number in count():
                post = self.posts[number % len(self.posts)]
                if ending.is_set():
                    return
                self._try(site, first + number // len(self.posts), post)
                sleep(SLOW)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
            self.surprises.append(error)

    def _try(self, site: VotingService, person: int, post: int) -> None:
        wanted = Vote.UP if person % 3 else Vote.DOWN
        try:
            vote(site, person, post, wanted)
        except StoreUnavailable as error:
            with self._lock:
                self.refused.append(str(error))
            return
        with self._lock:
            self.acknowledged[person, post] = wanted
            self.times[post].append(monotonic())

    def longest_outage(self, posts: Sequence[int] = ()) -> float:
        """Return the longest time in seconds in which a post got no acknowledged vote."""
        gaps = [0.0]
        for post in posts or self.posts:
            times = sorted(self.times[post])
            gaps += [after - before for before, after in pairwise(times)]
        return max(gaps)

    def lost(self, site: VotingService) -> set[tuple[int, int]]:
        """Return the person and post of each acknowledged vote that Redis doesn't have."""
        inspected = site.maintenance.inspection.posts(self.posts)
        standing = {
            (person, post): wanted
            for post, found in inspected.items()
            for wanted, people in ((Vote.UP, found.ups), (Vote.DOWN, found.downs))
            for person in people
        }
        return {one for one, wanted in self.acknowledged.items() if standing.get(one) != wanted}


def read_ledger(site: VotingService) -> int:
    """Read the ledger and update rankings, as the worker does. Return the number of votes read."""
    entries = site.maintenance.ledger.read(dict.fromkeys(site.maintenance.ledger.shards, "0-0"))
    site.maintenance.ledger.rerank({entry.target.post_id for entry in entries})
    return len(entries)
