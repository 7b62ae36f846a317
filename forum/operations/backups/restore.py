"""Restores a site from a backup, and fills Redis from SQL."""

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import strftime
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _

from forum.config import encryption, environment
from forum.models import Post
from forum.operations import factor_keys
from forum.operations.backups import erased, folders, retention, sql_dump
from forum.operations.backups.temporary_site import restore_to
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import refill
from forum.operations.repair.scope import WHOLE
from forum.operations.supervision.children import Valkey
from forum.operations.supervision.claims import RESTORE, claimed
from forum.store.service import get_voting_service
from voting.errors import EmbeddedError, StoreEmpty, StoreUnavailable

SQLITE_ENDS = ("", "-journal", "-wal", "-shm")
"""The suffixes of the files that make up an SQLite database."""


def restore(
    folder: Path, *, force: bool, deep: bool = False, turn_off_factors: bool = False
) -> int:
    """Replace the site's SQL and Redis with a backup, and return the number of posts.

    `force`: replace an existing site. Its files are renamed and kept, but data in PostgreSQL and in
    a Redis that isn't embedded is lost. `deep`: also check the votes in SQL against the ledger.
    `turn_off_factors`: turn off second factors whose SECRET_KEY is unknown. People who were erased
    since the backup are erased again.

    Raises CommandError if the restore fails, if second factors need another SECRET_KEY, or if SQL
    and Redis of the restored site differ. After such an error, a replaced site with SQLite and an
    embedded Valkey is unchanged.
    """
    names = folders.verify(folder)
    with claimed(settings.FORUM_DATA, by=RESTORE), _as_command_error():
        _refuse_existing_site(force=force)
        sql_dump.refuse_other_database(names)
        if factor_keys.FILE in names and not turn_off_factors:
            needed = (folder / factor_keys.FILE).read_text().split()
            factor_keys.require(needed, _secrets(folder, names))
        here = not (force and settings.EMBEDDED and connection.vendor == "sqlite")
        way = _restore_here if here else _restore_beside
        way(folder, names, deep=deep, turn_off_factors=turn_off_factors)
    return Post.objects.count()


def _secrets(folder: Path, names: frozenset[str]) -> list[str]:
    """Return the secrets that the restored site will have.

    If SECRET_KEY isn't set, the site gets the key in the backup. This process has another one.
    """
    if not environment.text("SECRET_KEY") and folders.SECRET in names:
        return [(folder / folders.SECRET).read_text(), *settings.SECRET_KEY_FALLBACKS]
    return encryption.secrets()


def _restore_beside(
    folder: Path, names: frozenset[str], *, deep: bool, turn_off_factors: bool
) -> None:
    """Restore the backup to a temporary site, then move the temporary site's files to this site.

    Files of this site that would be overwritten are renamed and kept.
    """
    connection.close()
    with TemporaryDirectory(prefix="restore-", dir=settings.FORUM_DATA) as data:
        erased.copy(retention.place(), Path(data) / retention.place().name)
        restore_to(Path(data), folder, deep=deep, turn_off_factors=turn_off_factors)
        files = _files(names)
        _rename_aside(files)
        for path, name in files.items():
            if (Path(data) / name).exists():
                shutil.move(Path(data) / name, path)


def _restore_here(
    folder: Path, names: frozenset[str], *, deep: bool, turn_off_factors: bool
) -> None:
    if connection.vendor != "sqlite":
        sql_dump.load(folder)  # first, because it changes nothing if it fails
    _rename_aside(_files(names))
    if folders.SECRET in names:
        shutil.copy(folder / folders.SECRET, settings.FORUM_DATA / folders.SECRET)
    if settings.EMBEDDED and folders.REDIS in names:
        _valkey().create_from_snapshot(folder / folders.REDIS)
    if connection.vendor == "sqlite":
        sql_dump.load(folder)
    with _redis():
        call_command("migrate", interactive=False, verbosity=0, keep_factors=True)
        if turn_off_factors:
            factor_keys.remove_unreadable(_secrets(folder, names))
        erased.erase_again(folder)
        refill()
        for sentence in chain(differences(), replay.differences(WHOLE) if deep else ()):
            raise CommandError(
                _("The site was restored, but Redis and SQL disagree: %(what)s")
                % {"what": sentence}
            )


def _files(names: frozenset[str]) -> dict[Path, str]:
    """Map the path of each file or folder that a restore replaces to the name of its replacement.

    The replacements are in the folder of a temporary site. `names` are the backup's file names.
    """
    files = (
        {settings.FORUM_DATA / folders.SECRET: folders.SECRET} if folders.SECRET in names else {}
    )
    if settings.EMBEDDED:
        files[settings.VALKEY_DIR] = settings.VALKEY_DIR.name
    if connection.vendor == "sqlite":
        sqlite = sql_dump.sqlite_file()
        files |= {sqlite.with_name(sqlite.name + end): sql_dump.SQLITE + end for end in SQLITE_ENDS}
    return files


def _rename_aside(paths: Iterable[Path]) -> None:
    """Rename existing files and folders, so that a restore doesn't overwrite them."""
    suffix = f".replaced-{strftime('%Y%m%d-%H%M%S')}"
    for path in paths:
        if path.exists():
            path.rename(path.with_name(path.name + suffix))


def _refuse_existing_site(*, force: bool) -> None:
    """Raise CommandError if the site's Valkey is running, or if SQL or Redis has data of a site.

    If `force` is true, there may be such data, but Valkey must not be running.
    """
    if settings.EMBEDDED and _valkey().is_running():
        raise CommandError(
            _("Nothing was changed, because the site's Valkey is still running. Stop it first.")
        )
    if not force and not (sql_dump.is_empty() and redis_is_empty()):
        sentence = _(
            "Nothing was changed, because there is already a site. Use --force to replace it."
        )
        raise CommandError(sentence)


def redis_is_empty() -> bool:
    """Return whether Redis has no data of a site. Raises StoreUnavailable if Redis is down."""
    if settings.EMBEDDED:
        return not settings.VALKEY_DIR.exists()
    try:
        get_voting_service().maintenance.generations.current()
    except StoreEmpty:
        return True
    return False


@contextmanager
def _as_command_error() -> Iterator[None]:
    """Convert file errors, SQL errors and Redis errors to CommandError."""
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseError, EmbeddedError, StoreUnavailable) as error:
        raise CommandError(_("Not restored: %(why)s") % {"why": error}) from error


@contextmanager
def _redis() -> Iterator[None]:
    """Run the embedded Valkey during the block, or empty a Redis that isn't embedded.

    A Redis that isn't embedded must be emptied because it still contains the replaced site, whose
    people and posts may have the same ids as those of the restored site.
    """
    if not settings.EMBEDDED:
        get_voting_service().maintenance.generations.wipe()
        redis_cache: Any = cache
        redis_cache.delete_pattern("*")
        yield
        return
    valkey = _valkey()
    try:
        valkey.start()
        yield
    finally:
        valkey.stop()


def _valkey() -> Valkey:
    return Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC)
