"""Finds the parts of the site that aren't running.

A site that isn't ready may still serve pages: pages work without Redis, and votes work without the
worker.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from forum.config.checks import published_passwords_sentence
from forum.ledger import cursors, vote_value
from forum.operations.health import heartbeat
from forum.store.service import get_voting_service
from voting.errors import StoreEmpty, StoreUnavailable

SILENT = 30.0
"""After this many seconds without a heartbeat, the worker counts as missing."""
BEHIND = 10_000
"""If more than this number of votes wait to be archived, the worker counts as too slow.

A worker archives this number of votes in several seconds.
"""
WARN_BELOW = 32 << 20
"""Warn below this many free bytes, or below an eighth of the disk, whichever is less."""

OTHER_RULES = (
    "The scores in Redis were made with other values of VOTES_PER_DAY, VOTING_WINDOW or "
    "VOTING_FORMULA than this process uses. If you changed these settings, restart the worker: it "
    "scores all posts again. If this process has the old settings, restart this process. With "
    "VOTES_PER_DAY=auto, the worker changes the number daily: wait until it has scored all posts."
)
READ_ONLY = "READ_ONLY=1: people can read, but not write, vote or log in."
LOST_CHANGES = "Redis restarted without its last changes; a worker loads them from SQL."


def missing() -> dict[str, str]:
    """Return a dict from the short name of each part that isn't ready to a sentence about it."""
    maintenance = {"read_only": READ_ONLY} if settings.READ_ONLY else {}
    return maintenance | _sql() | _redis() | _disks()


def _sql() -> dict[str, str]:
    try:
        pending = sorted(_migrations() - MigrationRecorder(connection).applied_migrations().keys())
        if pending:
            names = ", ".join(f"{app}.{name}" for app, name in pending)
            return {"migrations": f"Not applied: {names}. Run `manage.py migrate`."}
        if _is_read_only():
            return {"sql": "The SQL database is read-only: nobody can post, comment or log in."}
        missing_votes = {"history": LOST_CHANGES} if cursors.any_behind() else {}
        return missing_votes | _passwords()
    except DatabaseError:
        return {"sql": "The SQL database isn't responding."}


def _passwords() -> dict[str, str]:
    """Return a warning if accounts are refused for their published passwords."""
    sentence = published_passwords_sentence() if settings.PRODUCTION else ""
    return {"passwords": sentence} if sentence else {}


def _is_read_only() -> bool:
    """Return whether the database is a read-only PostgreSQL, such as a standby."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        return bool(cursor.fetchone() == ("on",))


def _disks() -> dict[str, str]:
    """Return a warning if a disk is nearly full, otherwise {}."""
    for name, directory in _data_directories():
        with suppress(OSError):
            disk = shutil.disk_usage(directory)
            left = disk.free
            if left < min(WARN_BELOW, disk.total // 8):
                return {
                    "disk": f"The disk of {name} is nearly full, with {left >> 20} MB left: votes, "
                    "posts and comments may be refused until there is room."
                }
    return {}


def _data_directories() -> Iterator[tuple[str, Path]]:
    if settings.EMBEDDED:
        yield "FORUM_DATA", settings.FORUM_DATA
    if connection.vendor == "sqlite":
        yield "the SQLite file", Path(connection.settings_dict["NAME"]).parent


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.nodes)


def _redis() -> dict[str, str]:
    try:
        get_voting_service().maintenance.generations.current()
        fits = _fits()
        waiting = get_voting_service().maintenance.ledger.lag()
    except StoreEmpty:
        return {"redis": "Redis is empty; a worker fills it from SQL."}
    except StoreUnavailable:
        return {"redis": "Redis isn't responding."}
    found = _worker()
    if not fits:
        found["rules"] = OTHER_RULES
    if waiting > BEHIND:
        found["ledger"] = f"{waiting} votes aren't archived in SQL yet."
    return found


def _fits() -> bool:
    """Return whether Redis's scores were computed with the current voting rules and vote value.

    The vote value is how many seconds one vote adds to a score. Returns True while SQL is down,
    because another check reports that.
    """
    try:
        return get_voting_service().maintenance.generations.has_current_rules(vote_value.weight())
    except DatabaseError:
        return True


def _worker() -> dict[str, str]:
    """Return a warning if no worker is running, otherwise {}. Call this only if Redis is up."""
    silence = heartbeat.silence()
    if silence is None:
        return {"worker": "No worker is running."}
    if silence > SILENT:
        return {"worker": f"No worker has been running for {silence:.0f} seconds."}
    return {}
