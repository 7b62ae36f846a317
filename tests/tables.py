"""Empties all SQL tables that tests write to."""

from functools import cache

from django.db import connection

SETTLED = {"auth_permission", "django_content_type"}
"""Tables that `migrate` fills and no test changes. They keep their rows."""


def empty_tables() -> None:
    """Empty all tables that tests write to."""
    connection.ops.execute_sql_flush(_statements())


@cache
def _statements() -> list[str]:
    """Return the SQL statements that empty the tables.

    The result is cached, because no test creates tables.
    """
    there = connection.introspection.django_table_names(only_existing=True, include_views=False)
    quote = connection.ops.quote_name
    return [f"DELETE FROM {quote(table)}" for table in sorted({*there} - SETTLED)]
