"""The lock of a data directory, which its server holds."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def locked(directory: Path) -> Iterator[int | None]:
    """Lock `directory` and yield the descriptor, or None if another process holds the lock.

    Leaving closes only our descriptor: a server that inherited it keeps the lock.
    """
    descriptor = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor if _flock(descriptor) else None
    finally:
        os.close(descriptor)


def is_locked(directory: Path) -> bool:
    """Return whether a server runs with this directory, no matter who started it."""
    if not directory.exists():
        return False
    with locked(directory) as descriptor:
        return descriptor is None


def _flock(descriptor: int) -> bool:
    """Lock an open file. Return False if another process holds the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
