"""The directory of a site's data (FORUM_DATA), and the lock that makes the site read-only.

The operating system releases the lock when the process that holds it ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

MODE = 0o750
"""The directory's permissions: only the site's system user and its group may open the directory.

It contains sessions, email addresses and password hashes.
"""
READ_ONLY_LOCK = "read-only.lock"


@contextmanager
def writing(data: Path) -> Iterator[None]:
    """Create FORUM_DATA if it is missing, then run the block.

    Raises ImproperlyConfigured, with a sentence for the terminal, if the directory can't be created
    or if the block raises OSError.
    """
    try:
        data.mkdir(mode=MODE, parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ImproperlyConfigured(
            f"FORUM_DATA={data}: give a directory that you may write to ({error.strerror})."
        ) from error


def replace_text(file: Path, text: str) -> None:
    """Replace a file's content atomically. Raises OSError."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text(text)
    fresh.rename(file)


@contextmanager
def read_only(data: Path) -> Iterator[None]:
    """Wait until current writes are done, then make the site read-only until the block ends."""
    lock = _lock(data, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


@contextmanager
def may_write(data: Path) -> Iterator[bool]:
    """Yield True if the site may be written to, or False if it is read-only.

    After True, the site can't become read-only until the `with` block ends. Also yields True if the
    lock file can't be opened.
    """
    lock = None
    try:
        lock = _lock(data, fcntl.LOCK_SH | fcntl.LOCK_NB)
        allowed = True
    except OSError as error:
        allowed = not isinstance(error, BlockingIOError)
    try:
        yield allowed
    finally:
        if lock is not None:
            os.close(lock)


def is_read_only(data: Path) -> bool:
    """Return whether the site is read-only now."""
    with may_write(data) as allowed:
        return not allowed


def _lock(data: Path, operation: int) -> int:
    """Open and lock the lock file. Closing it releases the lock. Raises OSError."""
    lock = os.open(data / READ_ONLY_LOCK, os.O_RDONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, operation)
    except BaseException:
        os.close(lock)
        raise
    return lock
