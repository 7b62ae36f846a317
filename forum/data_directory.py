"""The directory of a site's data, where whoever runs the site must be able to write."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

MODE = 0o750
"""Sessions, addresses and hashes of passwords lie there: nothing for who else uses the machine."""


@contextmanager
def writing(data: Path) -> Iterator[None]:
    """Make FORUM_DATA where it is not there. Raise ImproperlyConfigured, which says so, where it
    can't be made, or the block can't write to it.
    """
    try:
        data.mkdir(mode=MODE, parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ImproperlyConfigured(
            f"FORUM_DATA={data}: give a directory that you may write to ({error.strerror})."
        ) from error
