"""Runs a site inside this process, with an empty SQL database and a private Valkey."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import django
from django.conf import settings
from django.db import connection
from redis import Redis

from benchmarks.sites import OURS
from voting.embedded import valkey


@contextmanager
def site(database: str = "", keep: str = "") -> Iterator[Redis]:
    """Set up Django and a new site, and yield a client of the site's Valkey.

    Call this only once per process. SQL is SQLite, or a new database on the PostgreSQL server at
    the URL `database`. Import models only within the `with` block. If `keep` names a folder, the
    site is created there, or an earlier site there is used again. The folder and the SQL database
    then aren't deleted at the end.
    """
    if keep:
        Path(keep).mkdir(parents=True, exist_ok=True)
        place: AbstractContextManager[str] = nullcontext(str(Path(keep).resolve()))
    else:
        place = TemporaryDirectory(prefix="rostra-bench-", ignore_cleanup_errors=True)
    with place as folder:
        for name in OURS:
            os.environ.pop(name, None)
        ours = {"FORUM_DATA": folder, "DJANGO_SETTINGS_MODULE": "forum.settings"}
        os.environ |= ours | ({"DATABASE_URL": database} if database else {})
        django.setup()
        if connection.vendor == "sqlite":
            settings.DATABASES["default"]["TEST"]["NAME"] = str(Path(folder) / "forum.sqlite3")
        connection.creation.create_test_db(
            verbosity=0, autoclobber=True, serialize=False, keepdb=bool(keep)
        )
        server = valkey.start(settings.VALKEY_DIR)
        try:
            with Redis.from_url(server.url, decode_responses=True) as observer:
                yield observer
        finally:
            server.stop()
            connection.creation.destroy_test_db("", verbosity=0, keepdb=bool(keep))
            connection.close()
