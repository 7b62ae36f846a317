"""Brings a site back from a backup, and Redis up to what SQL has."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from time import strftime
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils.translation import gettext as _

from forum.backups import folders, sql
from forum.starting.claims import claimed
from forum.starting.parts import Valkey
from forum.store import voting
from forum.upkeep import replaying
from forum.upkeep.checking import differences
from forum.upkeep.rebuilding import refill
from forum.upkeep.scope import WHOLE
from voting.errors import EmbeddedError, StoreEmpty


def restore(folder: Path, *, force: bool, deep: bool = False) -> int:
    """Replace the site's SQL and Redis with a backup; return how many posts there are.

    `force`: also where there is something, which is put aside (of PostgreSQL and of an external
    Redis: replaced). `deep`: the ledger, replayed, must lead to the votes. Raises StoreUnavailable
    and CommandError: then nothing has changed, or the site is there and, it says, not whole.
    """
    names = folders.verify(folder)
    with claimed(settings.FORUM_DATA):
        _refuse_over_a_site(force=force)
        _put_aside()
        sql.load(folder, names)
        if folders.SECRET in names:
            shutil.copy(folder / folders.SECRET, settings.FORUM_DATA / "secret-key")
        with _redis(folder / folders.REDIS if folders.REDIS in names else None):
            call_command("migrate", interactive=False, verbosity=0)
            posts = refill()
            for sentence in chain(differences(), replaying.differences(WHOLE) if deep else ()):
                raise CommandError(_("Brought back, but not whole: %(what)s") % {"what": sentence})
    return posts


def _refuse_over_a_site(*, force: bool) -> None:
    """Raise CommandError where the site runs, or, without `force`, where there is one at all."""
    if settings.EMBEDDED and Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC).is_held():
        raise CommandError(_("The site's Valkey is running: stop it first. Nothing was changed."))
    if not force and not _is_empty():
        raise CommandError(_("There is a site already: --force replaces it. Nothing was changed."))


def _is_empty() -> bool:
    if not sql.is_empty():
        return False
    if settings.EMBEDDED:
        return not settings.VALKEY_DIR.exists()
    try:
        voting().upkeep.generation()
    except StoreEmpty:
        return True
    return False


def _put_aside() -> None:
    """Move the files of the site that is there out of the way."""
    place = settings.FORUM_DATA / f"replaced-{strftime('%Y%m%d-%H%M%S')}"
    moving = [settings.VALKEY_DIR] if settings.EMBEDDED else []
    if connection.vendor == "sqlite":
        connection.close()
        ours = sql.sqlite_file()
        moving += [ours, *(ours.with_name(f"{ours.name}-{end}") for end in ("wal", "shm"))]
    for path in moving:
        if path.exists():
            place.mkdir(mode=0o700, exist_ok=True)
            shutil.move(path, place / path.name)


@contextmanager
def _redis(snapshot: Path | None) -> Iterator[None]:
    """Have Redis run: the embedded one with what the backup has of it, another one emptied.

    What that one knows is of the site that is replaced, whose people and posts may have had the
    same numbers.
    """
    if not settings.EMBEDDED:
        voting().upkeep.wipe()
        forget: Any = cache
        forget.delete_pattern("*")
        yield
        return
    valkey = Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC)
    try:
        if snapshot:
            valkey.begin_with(snapshot)
        valkey.start()
    except EmbeddedError as error:
        raise CommandError(str(error)) from error
    try:
        yield
    finally:
        valkey.stop()
