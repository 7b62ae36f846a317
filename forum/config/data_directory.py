"""The directory of a site's data (FORUM_DATA)."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

MODE = 0o750
"""The directory's permissions: only the site's system user and its group may open the directory.

It contains sessions, email addresses and password hashes.
"""


def make_private(file: Path) -> None:
    """Let only its owner read and write a file. Create it if it is missing and its folder exists.

    A file of another owner, or on a read-only disk, stays as it is.
    """
    with suppress(OSError):
        if not file.exists():
            file.touch(mode=0o600)
        elif file.stat().st_mode & 0o077:
            file.chmod(0o600)


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
