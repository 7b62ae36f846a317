"""Looks before a move, changing nothing that anybody uses, whether it can be made."""

import shutil
from pathlib import Path
from secrets import token_hex

from django.conf import settings
from django.core.management import CommandError
from django.db import connection
from django.utils.translation import gettext as _

from forum.backups import sql
from forum.health import readiness
from forum.moving.places import Places
from forum.store import voting
from voting.errors import StoreUnavailable
from voting.service import connect

OLDEST_REDIS = 7
NEEDED = 3
"""How often SQLite must fit into the free space: its copy, and what is written meanwhile."""


def look_at_the_site(places: Places) -> None:
    """Raise CommandError where this site is not one that can move there, or is not whole."""
    if not (places.redis or places.database):
        if places.cache:
            raise CommandError(_("A cache needs no move: start the site with its CACHE_URL."))
        raise CommandError(_("Say where to: --to a file, or --redis, --database."))
    if places.redis and not settings.EMBEDDED:
        raise CommandError(
            _(
                "REDIS_URL is set, so the site has a Redis of its own already. To exchange that,"
                " start with the address of an empty one: it is filled from SQL."
            )
        )
    if places.database and connection.vendor != "sqlite":
        raise CommandError(_("The site is on PostgreSQL already: pg_dump and pg_restore move it."))
    places.run("check")
    if missing := readiness.missing().get("migrations"):
        raise CommandError(missing)
    try:
        voting().upkeep.generation()
    except StoreUnavailable as error:
        sentence = _("The site's own Redis is not there yet (%(why)s): wait until /readyz says so.")
        raise CommandError(sentence % {"why": error}) from error
    if connection.vendor == "sqlite":
        _look_at_space()


def _look_at_space() -> None:
    needed = NEEDED * sql.sqlite_file().stat().st_size
    free = shutil.disk_usage(settings.FORUM_DATA).free
    if free < needed:
        sentence = _("A copy of SQLite needs %(needed)d MB in %(folder)s, and %(free)d are free.")
        folder = settings.FORUM_DATA
        told = {"needed": needed // 10**6 + 1, "folder": folder, "free": free // 10**6}
        raise CommandError(sentence % told)


def take_redis(places: Places, site: str) -> list[str]:
    """Take the new Redis, empty it of what an earlier attempt left, and return what its settings
    lack. Raises CommandError where it can't be had.
    """
    upkeep = places.voting().upkeep
    try:
        version = upkeep.version()
        if int(version.partition(".")[0]) < OLDEST_REDIS:
            sentence = _("The Redis is %(version)s: %(oldest)d or newer is needed.")
            raise CommandError(sentence % {"version": version, "oldest": OLDEST_REDIS})
        if not upkeep.claim(site):
            raise CommandError(
                _("The Redis is not empty: give an empty one (or another database of it).")
            )
        upkeep.close_store()
        upkeep.clear()
        if places.cache:
            connect(places.cache, settings.VOTING_RULES).ping()
        return upkeep.advice()
    except StoreUnavailable as error:
        sentence = _("The Redis can't be used: %(why)s")
        raise CommandError(sentence % {"why": error}) from error


def name_of_the_site() -> str:
    """Return by what new servers know, when a move is repeated, that it was this site's."""
    file = _name()
    if not file.exists():
        fresh = file.with_suffix(".new")
        fresh.write_text(token_hex(16))
        fresh.rename(file)
    return file.read_text()


def forget_the_name() -> None:
    """Have no move to repeat any more."""
    _name().unlink(missing_ok=True)


def _name() -> Path:
    return Path(settings.FORUM_DATA / "move-id")
