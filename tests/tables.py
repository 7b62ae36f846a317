"""Empties all tables of SQL at once."""

from functools import cache

from django.core.management.color import no_style
from django.db import connection

SETTLED = {"auth_permission", "django_content_type"}
"""Tables that `migrate` fills and no test writes to."""


def empty_tables() -> None:
    """Empty all tables except those in `SETTLED`."""
    connection.ops.execute_sql_flush(_statements())


@cache
def _statements() -> list[str]:
    """Return the SQL statements that empty the tables."""
    there = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return connection.ops.sql_flush(no_style(), sorted({*there} - SETTLED))
