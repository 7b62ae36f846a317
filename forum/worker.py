"""The work beside the pages: archiving the ledger, repeating the outbox, refilling Redis."""

import os
from collections.abc import Callable
from secrets import token_hex
from threading import Event
from time import monotonic

import structlog
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from forum import outbox
from forum.archive import Archiver
from forum.rebuilding import ensure_open
from voting.errors import StoreEmpty, StoreUnavailable

BLOCK_MS = 250
"""How long one look at an idle ledger waits; below the connection's timeout."""
OUTBOX_SECONDS = 1.0
PAUSE = 0.5
"""Seconds to wait after a failure of Redis or SQL."""

log = structlog.get_logger()


def run(stopping: Event) -> None:
    """Work until `stopping` is set. Failures of Redis and SQL are waited out."""
    archiver = Archiver(f"{os.getpid()}-{token_hex(4)}")
    outbox_at = 0.0
    while not stopping.is_set():
        if monotonic() >= outbox_at:
            _patiently(outbox.repeat, stopping)
            outbox_at = monotonic() + OUTBOX_SECONDS
        _patiently(lambda: archiver.step(block_ms=BLOCK_MS), stopping)
    archiver.stop()


def _patiently(step: Callable[[], object], stopping: Event) -> None:
    try:
        try:
            step()
        except StoreEmpty:
            ensure_open()
    except StoreUnavailable as error:
        log.warning("Redis is away", reason=str(error))
        stopping.wait(PAUSE)
    except DatabaseError as error:
        log.warning("SQL is away", reason=str(error))
        connection.close()
        stopping.wait(PAUSE)
    close_old_connections()
