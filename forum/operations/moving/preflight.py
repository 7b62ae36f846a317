"""Checks whether the site and its new servers are ready for a move."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from django.conf import settings
from django.core.management import CommandError
from django.db import Error as DatabaseError
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from forum.config.data_directory import replace_text
from forum.gateway.service import get_voting_service
from forum.operations.health import readiness
from forum.operations.moving.destination import Destination
from voting.errors import StoreUnavailable
from voting.service import connect

CLAIMS = "move-claims"
"""A file in FORUM_DATA with hashed URLs: new servers to which a move began to copy this site."""
OLDEST_REDIS = 7
OLDEST_POSTGRESQL, OLDEST_POSTGRESQL_NAME = 140_000, "14"
FILLED_BY_MIGRATE = frozenset(
    {
        *("django_migrations", "django_content_type"),
        *("auth_permission", "auth_group", "auth_group_permissions"),
    }
)


def check_site(destination: Destination) -> None:
    """Raise CommandError if the site can't be moved to these servers, or isn't healthy."""
    if not (destination.redis or destination.database):
        if destination.cache:
            raise CommandError(
                "You don't have to move the cache: start the site with the new CACHE_URL."
            )
        raise CommandError("Name the new servers: use --to FILE, or --redis and --database.")
    if destination.redis and not settings.EMBEDDED:
        raise CommandError(
            "REDIS_URL is set, so the site already has its own Redis. To replace that Redis, start"
            " the site with the address of an empty one: it is filled from SQL."
        )
    if destination.database and connection.vendor != "sqlite":
        raise CommandError("The site already uses PostgreSQL: move it with pg_dump and pg_restore.")
    destination.run("check")
    if missing := readiness.missing().get("migrations"):
        raise CommandError(missing)
    try:
        get_voting_service().maintenance.generations.current()
    except StoreUnavailable as error:
        raise CommandError(
            f"The site's Redis isn't ready ({error}): wait until /readyz says so."
        ) from error


def claim_redis(destination: Destination) -> list[str]:
    """Reserve the new Redis for this site, and return advice about its settings.

    Raises CommandError if this Redis can't be used. It must be empty or reserved by this site in an
    earlier attempt.
    """
    maintenance = destination.voting().maintenance
    try:
        version = maintenance.server.version()
        if int(version.partition(".")[0]) < OLDEST_REDIS:
            raise CommandError(f"The Redis is {version}: {OLDEST_REDIS} or newer is needed.")
        if not is_claimed(destination.redis):
            if not maintenance.server.is_empty():
                raise CommandError(
                    "The Redis is not empty: use an empty one (or another database)."
                )
            claim(destination.redis)
        maintenance.generations.close()
        if destination.cache:
            connect(destination.cache, settings.VOTING_RULES).maintenance.server.ping()
        return maintenance.server.advice()
    except StoreUnavailable as error:
        raise CommandError(f"The Redis can't be used: {error}") from error


def claim_postgresql(target: BaseDatabaseWrapper, address: str) -> None:
    """Reserve the new PostgreSQL database for this site.

    Raises CommandError if the database can't be used. It must be empty or reserved by this site in
    an earlier attempt.
    """
    try:
        _check_postgresql(target)
        if is_claimed(address):
            return
        with target.cursor() as cursor:
            for table in sorted({*target.introspection.table_names(cursor)} - FILLED_BY_MIGRATE):
                cursor.execute(f"SELECT 1 FROM {target.ops.quote_name(table)} LIMIT 1")  # noqa: S608
                if cursor.fetchone():
                    raise CommandError(
                        f"The PostgreSQL is not empty ({table} has rows): use an empty database."
                        " Nothing was changed."
                    )
        claim(address)
    except DatabaseError as error:
        raise CommandError(f"The PostgreSQL can't be used: {str(error).strip()}") from error


def _check_postgresql(target: BaseDatabaseWrapper) -> None:
    with target.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int, current_setting('server_version'),"
            " current_setting('server_encoding'), current_user,"
            " coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
        )
        number, version, encoding, user, may_create = cursor.fetchone()
    if number < OLDEST_POSTGRESQL:
        raise CommandError(
            f"The PostgreSQL is {version}: {OLDEST_POSTGRESQL_NAME} or newer is needed."
        )
    if encoding != "UTF8":
        raise CommandError(
            f"The PostgreSQL stores text as {encoding}: create the database with UTF8."
        )
    if not may_create:
        raise CommandError(f"{user} may not create tables there: make it the database's owner.")


def claim(address: str) -> None:
    """Record that this site begins to fill the server at `address`.

    If the move fails, the next attempt may then use the server, although it isn't empty.
    """
    _write_claims(_claims() | {_digest(address)})


def is_claimed(address: str) -> bool:
    """Return whether this site has begun to fill the server at `address`."""
    return _digest(address) in _claims()


@contextmanager
def without_claims() -> Iterator[None]:
    """Delete the records written by `claim`. If the `with` block fails, restore the records."""
    claims = _claims()
    _write_claims(set())
    try:
        yield
    except BaseException:
        _write_claims(claims)
        raise


def _digest(address: str) -> str:
    return sha256(address.encode()).hexdigest()  # addresses contain passwords


def _claims() -> set[str]:
    file = settings.FORUM_DATA / CLAIMS
    return set(file.read_text().split()) if file.exists() else set()


def _write_claims(claims: set[str]) -> None:
    if claims:
        replace_text(settings.FORUM_DATA / CLAIMS, "\n".join(sorted(claims)))
    else:
        (settings.FORUM_DATA / CLAIMS).unlink(missing_ok=True)
