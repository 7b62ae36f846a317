"""What may go wrong with PostgreSQL alone, known without the library that SQLite does not need."""

from django.db import OperationalError


class AllTaken(OperationalError):
    """Every connection is taken, for longer than anybody waits."""
