"""Reads rows in pages by id, newest first. Later pages cost no more than the first."""

from typing import TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def newest_below(rows: QuerySet[Row], before: int | None) -> tuple[tuple[Row, ...], int | None]:
    """Return a page of rows with ids below `before`, newest first, and the next page's `before`.

    On the last page, the second value is None. One query.
    """
    if before is not None:
        rows = rows.filter(pk__lt=before)
    size = settings.PAGE_SIZE
    found = tuple(rows.order_by("-pk")[: size + 1])
    return found[:size], found[size - 1].pk if len(found) > size else None
