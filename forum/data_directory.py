"""The directory of a site's data, where whoever runs the site must be able to write."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


@contextmanager
def writing(data: Path) -> Iterator[None]:
    """Raise ImproperlyConfigured, which says so, where the block can't write to FORUM_DATA."""
    try:
        yield
    except OSError as error:
        raise ImproperlyConfigured(
            f"FORUM_DATA={data}: give a directory that you may write to ({error.strerror})."
        ) from error
