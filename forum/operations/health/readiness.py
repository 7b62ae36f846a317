"""Whether the site is all there, and what is missing where it is not.

A site that is not ready may still serve: pages come without Redis, votes without the worker.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from forum.gateway.service import get_voting_service
from forum.ledger import cursors, vote_value
from forum.operations.health import heartbeat
from voting.errors import StoreEmpty, StoreUnavailable
from voting.service import low_space

SILENT = 30.0
"""Seconds after which a worker that says nothing counts as missing."""
BEHIND = 10_000
"""Votes waiting to be archived from which the worker counts as too slow: several seconds' work."""

OTHER_RULES = (
    "Redis has scores of other VOTES_PER_DAY, VOTING_WINDOW or VOTING_FORMULA than this process. "
    "A worker re-scores all posts when it starts, and when VOTES_PER_DAY=auto chooses a new "
    "number: wait for it, or restart the worker where the settings are new, and this process where "
    "they are old."
)
FORGOTTEN = "Redis came back without its last changes; a worker loads them into it from SQL."


def missing() -> dict[str, str]:
    """Return what is missing, each with a sentence; nothing where the site is ready.

    Five queries and four round trips at the most.
    """
    return _sql() | _redis() | _disks()


def _sql() -> dict[str, str]:
    try:
        pending = sorted(_migrations() - MigrationRecorder(connection).applied_migrations().keys())
        if pending:
            names = ", ".join(f"{app}.{name}" for app, name in pending)
            return {"migrations": f"Not applied yet: {names}. Run `manage.py migrate`."}
        if _writes_nothing():
            return {"sql": "The SQL database is read-only: nobody can post, comment or log in."}
        return {"history": FORGOTTEN} if cursors.any_behind() else {}
    except DatabaseError:
        return {"sql": "The SQL database does not answer."}


def _writes_nothing() -> bool:
    """Say whether a PostgreSQL answers and lets nothing be written, as a standby does."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        return bool(cursor.fetchone() == ("on",))


def _disks() -> dict[str, str]:
    """Return which of this machine's disks is nearly full. Asks neither SQL nor Redis."""
    for name, directory in _written():
        with suppress(OSError):
            left = low_space(directory)
            if left is not None:
                return {
                    "disk": f"The disk of {name} is nearly full, with {left >> 20} MB left: votes, "
                    "posts and comments may be refused until there is room."
                }
    return {}


def _written() -> Iterator[tuple[str, Path]]:
    if settings.EMBEDDED:
        yield "FORUM_DATA", settings.FORUM_DATA
    if connection.vendor == "sqlite":
        yield "the SQLite file", Path(connection.settings_dict["NAME"]).parent


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    """Return the migrations that this process's code counts on."""
    return frozenset(MigrationLoader(None).graph.nodes)


def _redis() -> dict[str, str]:
    try:
        get_voting_service().upkeep.generation()
        fits = _fits()
        waiting = get_voting_service().upkeep.ledger_lag()
    except StoreEmpty:
        return {"redis": "Redis is empty; a worker fills it from SQL."}
    except StoreUnavailable:
        return {"redis": "Redis does not answer."}
    found = _worker()
    if not fits:
        found["rules"] = OTHER_RULES
    if waiting > BEHIND:
        found["ledger"] = f"{waiting} votes wait to be archived in SQL."
    return found


def _fits() -> bool:
    """Say whether the scores are by the present rules; what SQL can't tell, `_sql` has named."""
    try:
        return get_voting_service().upkeep.fits(vote_value.weight())
    except DatabaseError:
        return True


def _worker() -> dict[str, str]:
    """Redis answers here, so a silent worker is not one whom nobody can hear."""
    silence = heartbeat.silence()
    if silence is None:
        return {"worker": "No worker has been heard of."}
    if silence > SILENT:
        return {"worker": f"No worker has been heard of for {silence:.0f} seconds."}
    return {}
