"""The lease for rebuilding Redis. Only one process at a time can have it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from threading import Event, Thread
from time import sleep

from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable

RENEWAL_SECONDS = 4.0
"""How many seconds pass between two renewals of the lease. The lease lasts much longer."""
POLL_SECONDS = 0.2
"""How many seconds to wait before another attempt to get the lease."""


class LeaseTaken(StoreUnavailable):
    """Another process is rebuilding Redis."""


@contextmanager
def rebuild_lease(stopping: Event | None = None, *, wait: bool = True) -> Iterator[str]:
    """Hold the lease for rebuilding Redis until the block ends, and yield the holder's random id.

    If another process has the lease, waits, or raises LeaseTaken if `wait` is False. Raises
    StoreUnavailable if Redis is down, or if `stopping` is set while waiting.
    """
    holder = token_hex(8)
    ledger = get_voting_service().maintenance.ledger
    while not ledger.take_rebuild_lease(holder):
        if stopping is not None and stopping.is_set():
            raise StoreUnavailable("stopped while another process rebuilds Redis")
        if not wait:
            raise LeaseTaken("another process rebuilds Redis")
        sleep(POLL_SECONDS)
    done = Event()
    thread = Thread(target=_renew, args=(holder, done), daemon=True, name="rebuild-lease")
    thread.start()
    try:
        yield holder
    finally:
        done.set()
        thread.join()
        with suppress(StoreUnavailable):  # the lease then ends by itself
            ledger.drop_rebuild_lease(holder)


def _renew(holder: str, done: Event) -> None:
    while not done.wait(RENEWAL_SECONDS):
        with suppress(StoreUnavailable):
            get_voting_service().maintenance.ledger.take_rebuild_lease(holder)
