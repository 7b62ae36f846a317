"""The right to fill Redis anew: one process at a time has it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from threading import Event, Thread
from time import sleep

from forum.gateway.service import get_voting_service
from voting.errors import StoreUnavailable

RENEWAL = 4.0
"""Seconds after which the right is prolonged, well before it ends."""
PATIENCE = 0.2
"""Seconds between looks at somebody else's work."""


class Taken(StoreUnavailable):
    """Somebody else has the right just now."""


@contextmanager
def only_builder(stopping: Event | None = None, *, at_once: bool = False) -> Iterator[str]:
    """Hold the right to rebuild, under the name that is given; a thread prolongs it, however long
    the work takes. Waits for it, or raises Taken where it must be had `at_once`.
    """
    builder = token_hex(8)
    maintenance = get_voting_service().maintenance
    while not maintenance.ledger.take_rebuild_lease(builder):
        if stopping is not None and stopping.is_set():
            raise StoreUnavailable("stopped while somebody else fills Redis")
        if at_once:
            raise Taken("somebody else fills Redis")
        sleep(PATIENCE)
    done = Event()
    keeper = Thread(target=_prolong, args=(builder, done), daemon=True, name="rebuild-lease")
    keeper.start()
    try:
        yield builder
    finally:
        done.set()
        keeper.join()
        with suppress(StoreUnavailable):  # it ends by itself
            maintenance.ledger.drop_rebuild_lease(builder)


def _prolong(builder: str, done: Event) -> None:
    while not done.wait(RENEWAL):
        with suppress(StoreUnavailable):
            get_voting_service().maintenance.ledger.take_rebuild_lease(builder)
