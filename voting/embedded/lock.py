"""The lock of a data directory, held by its server; the lock file contains the server's pid."""

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


def write_pid(descriptor: int, pid: int | None) -> None:
    """Write the pid of the process that will hold the lock into it; nothing for None."""
    os.ftruncate(descriptor, 0)
    if pid is not None:
        os.pwrite(descriptor, str(pid).encode(), 0)


def read_pid(directory: Path) -> str:
    """Return the pid of the process that holds the lock."""
    return (directory / LOCK).read_text()


def _flock(descriptor: int) -> bool:
    """Lock an open file. Return False if another process holds the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
