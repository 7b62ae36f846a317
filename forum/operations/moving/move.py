"""Moves a site: checks the new servers, makes the site read-only, copies it and stops it."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from time import monotonic, sleep

from django.conf import settings
from django.core.management import CommandError
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from tqdm import tqdm

from forum.config.data_directory import read_only
from forum.gateway.service import get_voting_service
from forum.ledger import activity, counters
from forum.ledger.archiver import archive_waiting
from forum.operations.health import heartbeat, readiness
from forum.operations.moving import copy_rows, moved_note, preflight
from forum.operations.moving.destination import Destination
from forum.operations.supervision import claims, stop_signals
from forum.operations.supervision.children import Valkey

ROWS_PER_SECOND = 10_000
"""How many SQL rows per second a small machine copies to PostgreSQL and loads into Redis."""
POLL_SECONDS = 0.1

Say = Callable[[str], object]
Target = BaseDatabaseWrapper | None


def move(destination: Destination, say: Say) -> float:
    """Move the site; return for how many seconds the site was read-only.

    If the move raises CommandError, StoreUnavailable or DatabaseError, the old site continues as
    before.
    """
    with claims.moving(settings.FORUM_DATA), ExitStack() as stack:
        is_stopped = _lock_stopped_site(stack, say)
        preflight.check_site(destination)
        if destination.redis:
            for advice in preflight.claim_redis(destination):
                say(f"The new Redis: {advice}")
        target = None
        if destination.database:
            target = stack.enter_context(copy_rows.database(copy_rows.TARGET, destination.database))
            preflight.claim_postgresql(target, destination.database)
            destination.run("migrate", "--no-input", "--verbosity", "0")
        began = monotonic()
        with read_only(settings.FORUM_DATA), ExitStack() as locked:
            archive_waiting()
            counters.archive_views()
            activity.archive_recent()
            if target:
                # The worker's tasks, such as sending mail, must not run during the copy.
                locked.enter_context(transaction.atomic())
            _copy(destination, target, say)
            with (
                preflight.without_claims(),
                moved_note.noted(settings.FORUM_DATA, destination.settings.keys() - {"CACHE_URL"}),
            ):
                if not is_stopped:
                    _wait_for_end(say)
                stop_signals.ignore()
        return monotonic() - began


def _lock_stopped_site(stack: ExitStack, say: Say) -> bool:
    """Lock the site and start its Valkey. If `up` is running the site, return False instead.

    Raises CommandError if a command other than `up` has locked the site. If Redis isn't embedded,
    also raises CommandError if a worker is running.
    """
    try:
        stack.enter_context(claims.claimed(settings.FORUM_DATA, by=claims.MOVE))
    except CommandError:
        if claims.is_claimed_by_up(settings.FORUM_DATA):
            return False
        raise CommandError(
            "A command other than `up` is running on this site: stop it, or start `up` again."
        ) from None
    say("The site is not running. Stop any web server or worker that was started without `up`.")
    if settings.EMBEDDED:
        valkey = Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC)
        stack.callback(valkey.stop)
        valkey.start()
    silence = heartbeat.silence()
    if not settings.EMBEDDED and silence is not None and silence < readiness.SILENT:
        raise CommandError("A worker of this site is running: stop it and the web server first.")
    return True


def _copy(destination: Destination, target: Target, say: Say) -> None:
    """Copy SQL to the new PostgreSQL, and fill the new Redis. The site must be read-only."""
    rows = copy_rows.count_rows()
    minutes = rows // ROWS_PER_SECOND // 60 + 1
    say(f"The site is read-only from now on. Copying {rows} rows takes about {minutes} min.")
    if target:
        with tqdm(total=rows, unit="rows", disable=None) as bar:
            copy_rows.copy_all(target, bar.update)
        say("Copied SQL to PostgreSQL.")
    if destination.redis:
        destination.run("rebuild_voting")
        carried = get_voting_service().maintenance.server.copy_to(
            destination.voting().maintenance.server
        )
        say(f"Filled Redis from SQL, and copied {carried} keys that SQL lacks.")


def _wait_for_end(say: Say) -> None:
    """Wait until `up` has ended. Raises CommandError on Ctrl-C."""
    try:
        say("Copied everything. Waiting for the old site to end.")
        while True:
            with suppress(CommandError), claims.claimed(settings.FORUM_DATA):
                return
            sleep(POLL_SECONDS)
    except (KeyboardInterrupt, OSError) as error:
        raise CommandError(
            "Stopped while waiting for the old site to end. If the old site has ended,"
            " start it as before."
        ) from error
