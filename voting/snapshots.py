"""A snapshot of everything the server holds, made beside its work."""

from time import monotonic, sleep

from voting.client import Store
from voting.errors import StoreUnavailable

PAUSE = 0.1


def save(store: Store, seconds: float) -> None:
    """Have the server write its snapshot file and wait until it is there.

    Raises StoreUnavailable where it fails or takes longer than `seconds`. A round trip each tenth
    of a second; the server works on meanwhile.
    """
    deadline = monotonic() + seconds
    _await_rest(store, deadline)
    store.command("BGSAVE")
    if _await_rest(store, deadline) != "ok":
        raise StoreUnavailable("the server could not write its snapshot: is the disk full?")


def _await_rest(store: Store, deadline: float) -> str:
    """Wait until no snapshot is being written; return how the last one ended."""
    while True:
        told = store.command("INFO", "persistence")
        if not int(told["rdb_bgsave_in_progress"]):
            return str(told["rdb_last_bgsave_status"])
        if monotonic() > deadline:
            raise StoreUnavailable("the server has not ended its snapshot in time")
        sleep(PAUSE)
