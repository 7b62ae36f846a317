"""The lock of a data directory, so that only one server at a time can use the directory."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def locked(directory: Path) -> Iterator[int | None]:
    """Lock `directory`; yield the lock's file descriptor, or None if another process has the lock.

    The descriptor is closed after the `with` block. The lock ends then, unless a server has
    inherited the descriptor.
    """
    descriptor = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor if _flock(descriptor) else None
    finally:
        os.close(descriptor)


def is_locked(directory: Path) -> bool:
    """Return whether a running server uses `directory`."""
    if not directory.exists():
        return False
    with locked(directory) as descriptor:
        return descriptor is None


def _flock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
