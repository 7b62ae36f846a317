"""The only entrance to voting: `VotingService`, which has one attribute for each topic.

Times are seconds since 1970. Every method that sends requests to Redis may raise StoreUnavailable.
Several threads may share a service.
"""

from collections.abc import Callable
from time import time

from voting.maintenance.service import Maintenance
from voting.redis.connection import Store
from voting.redis.pool import TIMEOUT
from voting.redis.urls import connect as connect_store
from voting.redis.urls import is_redis_url
from voting.topics.activity import Activity
from voting.topics.boards import Boards
from voting.topics.comments import Comments
from voting.topics.follows import Follows
from voting.topics.groups import Groups
from voting.topics.groups import parse as parse_mix
from voting.topics.inbox import Inbox
from voting.topics.limits import Limits
from voting.topics.listings import Listings
from voting.topics.people import People
from voting.topics.person_lists import PersonLists
from voting.topics.posts import Posts
from voting.topics.views import Views
from voting.topics.votes import Votes
from voting.types import Rules
from voting.types.observer import Observer

__all__ = ["TIMEOUT", "VotingService", "connect", "is_redis_url", "parse_mix"]


class VotingService:
    """Votes, rankings and everything else that one site stores in Redis."""

    def __init__(
        self,
        store: Store,
        rules: Rules,
        clock: Callable[[], float] = time,
        observer: Observer | None = None,
    ) -> None:
        self.store = store
        self.rules = rules
        self.clock = clock
        """The service's clock, in seconds since 1970. Tests may replace this clock."""
        store.observer = observer or store.observer
        self.activity = Activity(store, self.now)
        self.boards = Boards(store, rules, self.now)
        self.comments = Comments(store, rules, self.now)
        self.follows = Follows(store)
        self.groups = Groups(store)
        self.inbox = Inbox(store)
        self.limits = Limits(store, self._time)
        self.listings = Listings(store, rules, self.now)
        self.maintenance = Maintenance(store, rules, self.now)
        self.people = People(store, rules, self.now)
        self.person_lists = PersonLists(store, self.now)
        self.posts = Posts(store, rules, self.now)
        self.views = Views(store, rules, self.now)
        self.votes = Votes(store, rules, self._time, observer or Observer())

    def now(self) -> int:
        """Return the current time in whole seconds since 1970. No round trip."""
        return int(self.clock())

    def _time(self) -> float:
        return self.clock()


def connect(
    url: str,
    rules: Rules,
    *,
    clock: Callable[[], float] = time,
    observer: Observer | None = None,
    timeout: float = TIMEOUT,
    wait_replicas: int = 0,
) -> VotingService:
    """Return the voting service for the Redis at `url`. No round trip.

    A reply may take `timeout` seconds.
    """
    store = connect_store(url, timeout, wait_replicas)
    return VotingService(store, rules, clock, observer)
