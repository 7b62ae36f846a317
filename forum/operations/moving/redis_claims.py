"""The claim of a site on the servers that it moves to, until it runs there."""

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from forum.gateway.service import get_voting_service

CLAIM = "rostra_move"
"""A table with the id of the site that is moving to this database."""


def drop_claims() -> None:
    """Drop the claims of a move that was killed at its very end, for the worker of the moved site.

    Otherwise a repeated move would overwrite these servers. One query and one round trip. Raises
    StoreUnavailable.
    """
    if connection.vendor == "postgresql":
        drop_claim(connection)
    if not settings.EMBEDDED:
        get_voting_service().maintenance.server.drop_claim()


def drop_claim(database: BaseDatabaseWrapper) -> None:
    """Mark the move to this database as finished. One query."""
    with database.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {CLAIM}")
