"""The object `VotingService.maintenance` and its parts."""

from collections.abc import Callable

from voting.maintenance.generations import Generations
from voting.maintenance.inspection import Inspection
from voting.maintenance.ledger import Ledger
from voting.maintenance.listed_posts import ListedPosts
from voting.maintenance.loading import Loading
from voting.maintenance.server import Server
from voting.redis.connection import Store
from voting.types import Rules


class Maintenance:
    """The maintenance of one site's store. Only the worker and commands use this class.

    All methods of its attributes raise StoreUnavailable if Redis is down.
    """

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self.ledger = Ledger(store, rules, now)
        self.generations = Generations(store, rules)
        self.loading = Loading(store, rules, now)
        self.inspection = Inspection(store, rules, now)
        self.listed_posts = ListedPosts(store)
        self.server = Server(store)
