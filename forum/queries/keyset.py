"""Reads rows in pages by id, newest first. Later pages cost no more than the first."""

from typing import TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def newest_below(
    rows: QuerySet[Row], before: int | None, *, same: tuple[str, ...] = ()
) -> tuple[tuple[Row, ...], int | None]:
    """Return a page of rows with ids below `before`, newest first, and `before` for the next page.

    The second value is None on the last page. `same` are fields that are equal in all rows: the
    order begins with them, so that the database uses an index that begins with them. One query.
    """
    if before is not None:
        rows = rows.filter(pk__lt=before)
    size = settings.PAGE_SIZE
    found = tuple(rows.order_by(*same, "-pk")[: size + 1])
    return found[:size], found[size - 1].pk if len(found) > size else None
