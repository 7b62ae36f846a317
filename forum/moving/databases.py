"""Databases beside the site's own: the copy of its SQLite, and the PostgreSQL it moves to."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.core.management import CommandError
from django.db import Error as DatabaseError
from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext as _
from environ import Env

from forum.starting.arrived import CLAIM

COPY, TARGET = "copy", "target"
SET_UP = frozenset(
    {
        *(CLAIM, "django_migrations", "django_content_type"),
        *("auth_permission", "auth_group", "auth_group_permissions"),
    }
)
"""Tables in which `migrate` writes rows."""
OLDEST, OLDEST_NAME = 140_000, "14"


@contextmanager
def database(alias: str, address: str) -> Iterator[BaseDatabaseWrapper]:
    """Give a connection to what is at an address, which models can use by its alias."""
    config = Env.db_url_config(address)
    connections.settings[alias] = connections.configure_settings({"default": config})["default"]
    connection = connections[alias]
    try:
        yield connection
    finally:
        connection.close()
        del connections[alias]
        del connections.settings[alias]


def tables() -> list[type[models.Model]]:
    """Return every model that has a table of its own, also the tables between two models."""
    every = apps.get_models(include_auto_created=True)
    return [model for model in every if model._meta.managed and not model._meta.proxy]


def take(connection: BaseDatabaseWrapper, site: str) -> None:
    """Take an empty PostgreSQL, or one that `site` took before. Raises CommandError otherwise."""
    try:
        _look(connection)
        with connection.cursor() as cursor:
            there = connection.introspection.table_names(cursor)
            if CLAIM in there:
                cursor.execute(f"SELECT site FROM {CLAIM}")  # noqa: S608 - a constant
                if cursor.fetchone() == (site,):
                    return
            for table in sorted({*there} - SET_UP | {*there} & {CLAIM}):
                cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table)} LIMIT 1")  # noqa: S608
                if cursor.fetchone():
                    sentence = _(
                        "The PostgreSQL is not empty (%(table)s has rows): give an empty database."
                        " Nothing was changed."
                    )
                    raise CommandError(sentence % {"table": table})
            cursor.execute(f"CREATE TABLE IF NOT EXISTS {CLAIM} (site text)")
            cursor.execute(f"INSERT INTO {CLAIM} VALUES (%s)", [site])  # noqa: S608 - a constant
    except DatabaseError as error:
        sentence = _("The PostgreSQL can't be used: %(why)s")
        raise CommandError(sentence % {"why": str(error).strip()}) from error


def _look(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError where a database does not suit a site."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int, current_setting('server_version'),"
            " current_setting('server_encoding'), current_user,"
            " coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
        )
        number, version, encoding, user, may_create = cursor.fetchone()
    if number < OLDEST:
        sentence = _("The PostgreSQL is %(version)s: %(oldest)s or newer is needed.")
        raise CommandError(sentence % {"version": version, "oldest": OLDEST_NAME})
    if encoding != "UTF8":
        sentence = _("The PostgreSQL keeps text as %(encoding)s: make the database with UTF8.")
        raise CommandError(sentence % {"encoding": encoding})
    if not may_create:
        sentence = _("%(user)s may not make tables there: let it own the database.")
        raise CommandError(sentence % {"user": user})
