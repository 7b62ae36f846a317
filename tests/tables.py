"""SQL's tables, emptied in one go."""

from functools import cache

from django.core.management.color import no_style
from django.db import connection

SETTLED = {"auth_permission", "django_content_type"}
"""Tables that `migrate` has filled, and that no test writes to."""


def empty_tables() -> None:
    """Empty all tables but the settled ones."""
    connection.ops.execute_sql_flush(_statements())


@cache
def _statements() -> list[str]:
    """Return what empties them; no test makes a new one."""
    there = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return connection.ops.sql_flush(no_style(), sorted({*there} - SETTLED))
