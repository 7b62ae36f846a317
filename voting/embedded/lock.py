"""The lock of a data directory, which its server holds, and the note in it: the server's pid."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def locked(directory: Path) -> Iterator[int | None]:
    """Hold the lock of `directory` through a descriptor; None where another process holds it.

    Leaving closes only our descriptor: a server that inherited it goes on holding the lock.
    """
    descriptor = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor if _flock(descriptor) else None
    finally:
        os.close(descriptor)


def is_held(directory: Path) -> bool:
    """Say whether a server has this directory, whoever started it."""
    if not directory.exists():
        return False
    with locked(directory) as held:
        return held is None


def note(held: int, pid: int | None) -> None:
    """Write who will hold the lock into it; None while nobody does yet."""
    os.ftruncate(held, 0)
    if pid is not None:
        os.pwrite(held, str(pid).encode(), 0)


def noted(directory: Path) -> str:
    """Return the pid of who holds the lock; nothing where an older Rostra started it."""
    return (directory / LOCK).read_text()


def _flock(descriptor: int) -> bool:
    """Lock an open file; False where another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
