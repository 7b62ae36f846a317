"""The work beside the pages: archiving the ledger, repeating the outbox, refilling Redis."""

import os
from collections.abc import Callable
from secrets import token_hex
from threading import Event, Thread
from time import monotonic

import structlog
from django.conf import settings
from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
)

from forum.config.data_directory import is_read_only
from forum.content import outbox
from forum.identity import presence
from forum.identity.sessions import SessionStore
from forum.inbox import task_runner, unread
from forum.ledger import counters, vote_value
from forum.ledger.archiver import Archiver
from forum.observability import throttled_log
from forum.operations.health import heartbeat
from forum.operations.moving.redis_claims import drop_claims
from forum.operations.repair.rebuild import ensure_filled, ensure_scored, recall
from forum.operations.repair.repair_posts import Progress, reload_bereft
from forum.social import ties
from voting.errors import StoreEmpty, StoreUnavailable

BLOCK_MS = 250
"""How long one look at an idle ledger waits; below the connection's timeout."""
OUTBOX_SECONDS = 1.0
COUNTS_SECONDS = 60.0
"""How often views and who was here are archived: a lost Redis loses no more of them."""
SCORES_SECONDS = 60.0
"""How often it is looked whether a measurement or re-scoring is due."""
SESSIONS_SECONDS = 3_600.0
"""How often sessions that have ended are dropped."""
BEAT_SECONDS = 1.0
PAUSE = 0.5
"""Seconds to wait after a failure of Redis or SQL."""

log = structlog.get_logger()


def run(stopping: Event) -> None:
    """Work until `stopping` is set. Failures of Redis and SQL are waited out; any other ends the
    process, threads and all, so that it is started anew.
    """
    archiver = Archiver(f"{os.getpid()}-{token_hex(4)}")
    unread_counts, outbox_at, counts_at, sessions_at = unread.Healer(), 0.0, 0.0, 0.0
    mail = Thread(target=task_runner.run, args=(stopping,), name="postman", daemon=True)
    mail.start()
    lives = _signs_of_life(stopping)
    _until_done(drop_claims, stopping, heartbeat.beat)
    _until_done(lambda: ensure_filled(stopping, lives), stopping, heartbeat.beat)
    scores = Thread(target=_score, args=(stopping,), name="scores", daemon=True)
    scores.start()
    _until_done(counters.owe_recent, stopping, heartbeat.beat)
    while not stopping.is_set():
        if is_read_only(settings.FORUM_DATA):
            heartbeat.beat()
            stopping.wait(BEAT_SECONDS)
            continue
        if monotonic() >= outbox_at:
            heartbeat.beat()
            _patiently(outbox.repeat, stopping)
            _patiently(ties.repeat, stopping)
            _patiently(reload_bereft, stopping)
            outbox_at = monotonic() + OUTBOX_SECONDS
        if monotonic() >= counts_at:
            _patiently(counters.keep, stopping)
            _patiently(presence.keep, stopping)
            _patiently(unread_counts.step, stopping)
            counts_at = monotonic() + COUNTS_SECONDS
        if monotonic() >= sessions_at:
            _patiently(SessionStore.clear_expired, stopping)
            sessions_at = monotonic() + SESSIONS_SECONDS
        _patiently(lambda: archiver.step(block_ms=BLOCK_MS), stopping)
        if archiver.behind and _patiently(lambda: recall(archiver.behind, lives), stopping):
            archiver.look_again()
    archiver.stop()
    scores.join()
    mail.join()


def _while_wanted(stopping: Event) -> Progress:
    """Return what ends work that takes minutes once `stopping` is set: whoever comes next begins
    again.
    """

    def go_on(_more: int) -> None:
        if stopping.is_set():
            raise StoreUnavailable("stopped half way")

    return go_on


def _signs_of_life(stopping: Event) -> Progress:
    """Return what also beats once a second during such work."""
    beaten_at, go_on = 0.0, _while_wanted(stopping)

    def lives(more: int) -> None:
        nonlocal beaten_at
        go_on(more)
        if monotonic() >= beaten_at + BEAT_SECONDS:
            heartbeat.beat()
            beaten_at = monotonic()

    return lives


def _score(stopping: Event) -> None:
    """Measure once a day what a vote is worth. Re-score all posts at the start, where settings may
    be new, and when that value changes; not otherwise, since newer settings may be in force by
    then. In a thread of its own, since re-scoring may take minutes.
    """
    go_on, applied = _while_wanted(stopping), 0.0

    def step() -> None:
        nonlocal applied
        vote_value.evaluate()
        weight = vote_value.weight()
        if weight != applied:
            ensure_scored(stopping, go_on)
            applied = weight

    while not stopping.is_set():
        _until_done(step, stopping)
        connection.close()
        stopping.wait(SCORES_SECONDS)


def _until_done(
    step: Callable[[], object], stopping: Event, between: Callable[[], object] | None = None
) -> None:
    """Take a step that a worker takes once, as often as Redis or SQL were away for it."""
    while not _patiently(step, stopping) and not stopping.is_set():
        if between is not None:
            between()


def _patiently(step: Callable[[], object], stopping: Event) -> bool:
    """Take a step and say whether Redis and SQL were there for it."""
    done = False
    try:
        try:
            step()
        except StoreEmpty:
            ensure_filled(stopping, _signs_of_life(stopping))
        done = True
    except StoreUnavailable as error:
        throttled_log.tell("Redis is away", error)
        stopping.wait(PAUSE)
    except (OperationalError, InterfaceError) as error:
        throttled_log.tell("SQL is away", error)
        connection.close()
        stopping.wait(PAUSE)
    except DatabaseError:
        log.exception("SQL refuses what it is given")
        connection.close()
        stopping.wait(PAUSE)
    close_old_connections()
    return done
