"""Moves a site, in two parts: most of it while people use it, the rest while nobody can write."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from django.conf import settings
from django.core.management import CommandError
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext as _
from tqdm import tqdm

from forum.backups import sql
from forum.health import heartbeat, readiness
from forum.moving import arriving, changes, copying, databases, looking
from forum.moving.places import Places, Started, sqlite_address
from forum.starting import arrived, claims, moved, stopping
from forum.starting.parts import Valkey
from forum.store import voting
from forum.upkeep.rebuilding import closed
from forum.upkeep.settling import archive_waiting
from voting.errors import StoreUnavailable

ROWS_A_SECOND = 10_000
"""Rows of SQL that are copied, counted and checked in a second, on a small machine."""
LOOK_SECONDS = 0.1

Say = Callable[[str], object]
Target = BaseDatabaseWrapper | None


def move(places: Places, say: Say) -> float:
    """Move the site; return for how many seconds nobody could write until it was told to end.

    Raises CommandError, StoreUnavailable and DatabaseError: then it goes on as it was.
    """
    with claims.moving(settings.FORUM_DATA), ExitStack() as held:
        rests = _hold_what_rests(held, say)
        looking.look_at_the_site(places)
        site = looking.name_of_the_site()
        if places.redis:
            for sentence in looking.take_redis(places, site):
                say(_("The new Redis: %(what)s") % {"what": sentence})
        target = None
        if places.database:
            target = held.enter_context(databases.database(databases.TARGET, places.database))
            databases.take(target, site)
        copy = held.enter_context(_copy(say)) if connection.vendor == "sqlite" else None
        if copy:
            _go_ahead(places, target, copy, say)
        # Started now, since every second of the rest counts.
        arrival = held.enter_context(_arrival(places, copy))
        archive_waiting()
        if places.redis:
            say(_("From now on people can read, and not write or vote."))
        else:
            say(_("From now on people can read and vote, and not write."))
        began = monotonic()
        with _resting(places, copy) as nobody_writes:
            _follow(places, target, arrival, say)
            if not rests:
                _require_up()
            _require_rest(nobody_writes)
            with noted_at_rest(places, nobody_writes):
                paused = monotonic() - began
                if not rests:
                    _await_end(say)
                stopping.ignore()
        _drop_claims(places, target)
    return paused


def _hold_what_rests(held: ExitStack, say: Say) -> bool:
    """Have the site to ourselves where it does not run, and its Valkey run; say whether it rests.

    Raises CommandError where it runs in a way that we could not end.
    """
    try:
        held.enter_context(claims.claimed(settings.FORUM_DATA, by=claims.MOVE))
    except CommandError:
        _require_up()
        return False
    say(
        _(
            "No `up` runs here. Web servers and workers that were started in another way must be"
            " stopped now, and stay so."
        )
    )
    if settings.EMBEDDED:
        valkey = Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC)
        held.callback(valkey.stop)
        valkey.start()
    silence = heartbeat.silence()
    if not settings.EMBEDDED and silence is not None and silence < readiness.SILENT:
        raise CommandError(_("A worker of this site still runs: stop it and the web server first."))
    return True


def _require_up() -> None:
    """Raise CommandError where who has claimed the site would not end by the note."""
    if not claims.is_claimed_by_up(settings.FORUM_DATA):
        raise CommandError(
            _(
                "What runs on this site is no `up` of this version, and would not end when it has"
                " moved: stop it, or start `up` again."
            )
        )


def _require_rest(nobody_writes: Callable[[], bool]) -> None:
    """Raise CommandError where people may have written again."""
    if not nobody_writes():
        raise CommandError(_("This process stood still too long, and people voted again."))


@contextmanager
def noted_at_rest(places: Places, nobody_writes: Callable[[], bool]) -> Iterator[None]:
    """Note where the site has moved, while nobody writes. Raises CommandError where that is not
    so, and StoreUnavailable; then nothing is noted.
    """
    with moved.noted(settings.FORUM_DATA, places.settings.keys() - {"CACHE_URL"}):
        # Only now: before the note is there, this process may stand still once more, for as long
        # as others then take to open the site. Behind it stands what ends the site.
        _require_rest(nobody_writes)
        yield


@contextmanager
def _copy(say: Say) -> Iterator[Path]:
    """Give a copy of SQLite as it is now, in a folder that goes with the block."""
    folder = settings.FORUM_DATA / "moving"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    rows = copying.size()
    say(
        _(
            "Copying %(rows)d rows of SQL takes about %(minutes)d min, in which the site is used"
            " as ever."
        )
        % {"rows": rows, "minutes": rows // ROWS_A_SECOND // 60 + 1}
    )
    try:
        sql.dump(folder)
        yield folder / sql.SQLITE
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _go_ahead(places: Places, target: Target, copy: Path, say: Say) -> None:
    """Bring the copy to the new servers and check it there, while the site is used."""
    if target:
        places.run("migrate", "--no-input", "--verbosity", "0")
        with (
            databases.database(databases.COPY, sqlite_address(copy)),
            tqdm(total=copying.size(), unit="rows", disable=None) as bar,
        ):
            copying.copy_all(target, bar.update)
        say(_("PostgreSQL has the copy."))
    if places.redis:
        there = {} if target else {"DATABASE_URL": sqlite_address(copy)}
        places.run("rebuild_voting", more=there)
        places.run("check_voting", more=there)
        say(_("Redis has the copy too, and they agree."))


@contextmanager
def _resting(places: Places, copy: Path | None) -> Iterator[Callable[[], bool]]:
    """Let people read and not write: nobody votes while Redis moves, and while SQL does SQLite is
    locked. Where the block or this process fails, all that ends by itself. The block is given what
    tells whether it is so still.
    """
    with ExitStack() as resting:
        nobody_writes = resting.enter_context(closed()) if places.redis else _always
        if copy:
            resting.enter_context(changes.beside(copy))
        if places.database:
            resting.enter_context(transaction.atomic())
        yield nobody_writes


def _always() -> bool:
    """Say that nobody writes to SQLite: its lock is kept by a process that stands still, too."""
    return True


@contextmanager
def _arrival(places: Places, copy: Path | None) -> Iterator[Started | None]:
    """Have a process ready that brings the new Redis up to what has changed since the copy."""
    if not places.redis or not copy:
        yield None
        return
    with places.started("move_site", "--arrive") as arrival:
        yield arrival


def _follow(places: Places, target: Target, arrival: Started | None, say: Say) -> None:
    """Bring what has changed since the copy, or where there is none, everything."""
    if target:
        rows = copying.copy_changes(target)
        say(_("PostgreSQL has the %(rows)d rows that changed meanwhile.") % {"rows": rows})
    if not places.redis:
        return
    if arrival:
        arrival.tell(arriving.spelled(changes.targets()))
    else:
        places.run("rebuild_voting")
        places.run("check_voting")
    kept = voting().upkeep.carry_to(places.voting().upkeep)
    if arrival:
        arrival.finish()
    say(_("Redis has what changed, and %(kept)d keys that SQL does not know.") % {"kept": kept})


def _await_end(say: Say) -> None:
    """Wait until `up` has seen the note and has ended. Raises CommandError if that is stopped."""
    try:
        say(_("All is there. Waiting until the old site has ended."))
        while True:
            with suppress(CommandError), claims.claimed(settings.FORUM_DATA):
                return
            sleep(LOOK_SECONDS)
    except (KeyboardInterrupt, OSError) as error:
        sentence = _("Stopped while the old site was to end: if it has, start it as ever.")
        raise CommandError(sentence) from error


def _drop_claims(places: Places, target: Target) -> None:
    """Say on the new servers that the site is there. A claim that stays goes when it starts there,
    and nobody knows by what name to use it.
    """
    with suppress(OSError):
        looking.forget_the_name()
    if places.redis:
        with suppress(StoreUnavailable):
            places.voting().upkeep.drop_claim()
    if target:
        with suppress(DatabaseError):
            arrived.drop_claim(target)
