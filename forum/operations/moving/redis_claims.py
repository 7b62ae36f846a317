"""The claim of a site on the servers it moves to, which is void where it runs there."""

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from forum.gateway.service import get_voting_service

CLAIM = "rostra_move"
"""A table that says which site moves to this database and has not arrived."""


def drop_claims() -> None:
    """Say that the site is here, where the end of its move did not come to that; else a repeated
    move would take these servers anew. For the worker, which every site has. A query and a round
    trip. Raises StoreUnavailable.
    """
    if connection.vendor == "postgresql":
        drop_claim(connection)
    if not settings.EMBEDDED:
        get_voting_service().maintenance.server.drop_claim()


def drop_claim(database: BaseDatabaseWrapper) -> None:
    """Say that the site has arrived in this database."""
    with database.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {CLAIM}")
