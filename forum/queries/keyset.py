"""Pages of rows by id, newest first. Each costs the same, however many rows come before it."""

from typing import TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def newest_below(rows: QuerySet[Row], before: int | None) -> tuple[tuple[Row, ...], int | None]:
    """Return a page of rows with ids below `before`, newest first, and where the next page starts.

    The second value is the id that the next page starts below; None on the last page. One query.
    """
    if before is not None:
        rows = rows.filter(pk__lt=before)
    size = settings.PAGE_SIZE
    found = tuple(rows.order_by("-pk")[: size + 1])
    return found[:size], found[size - 1].pk if len(found) > size else None
