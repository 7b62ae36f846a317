"""A snapshot of everything the server holds, made beside its work."""

from time import monotonic, sleep

from redis.exceptions import ResponseError

from voting.errors import StoreUnavailable
from voting.redis.connection import Store

PAUSE = 0.1
BUSY = ("child process", "already in progress")
"""What a server says that writes something else in the background, as its append-only file anew, or
a snapshot that somebody else has asked for since we looked.
"""


def save(store: Store, seconds: float) -> None:
    """Have the server write its snapshot file and wait until it is there.

    Raises StoreUnavailable where it fails or takes longer than `seconds`. A round trip or two each
    tenth of a second; the server works on meanwhile.
    """
    deadline = monotonic() + seconds
    while True:
        _await_rest(store, deadline)
        if _begins(store):
            break
        _pause(deadline)
    if _await_rest(store, deadline) != "ok":
        raise StoreUnavailable("the server could not write its snapshot: is the disk full?")


def _begins(store: Store) -> bool:
    try:
        store.command("BGSAVE")
    except ResponseError as error:
        if not any(words in str(error) for words in BUSY):
            raise
        return False
    return True


def _await_rest(store: Store, deadline: float) -> str:
    """Wait until no snapshot is being written; return how the last one ended."""
    while True:
        told = store.command("INFO", "persistence")
        if not int(told["rdb_bgsave_in_progress"]):
            return str(told["rdb_last_bgsave_status"])
        _pause(deadline)


def _pause(deadline: float) -> None:
    if monotonic() > deadline:
        raise StoreUnavailable("the server has not ended its snapshot in time")
    sleep(PAUSE)
