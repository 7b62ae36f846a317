"""Makes a site ready to serve: tables, static files, votes in Redis. Quick when all is there."""

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections

from forum.data_directory import writing
from forum.demo.loading import DEMO_LOGINS, DemoLogin
from forum.models import User
from forum.starting.collecting import collect_static
from forum.upkeep.rebuilding import ensure_filled


def prepare() -> None:
    """Bring tables and static files up to date, then fill an empty Redis.

    Raises CommandError where SQL is away, and StoreUnavailable: the rest is done then.
    """
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except OperationalError as error:
        raise CommandError(f"The SQL database does not answer: {error}") from error
    with writing(settings.FORUM_DATA):
        collect_static()
    ensure_filled()
    connections.close_all()


def open_logins() -> list[DemoLogin]:
    """Return the demo log-ins that still work with the password everybody knows."""
    found = User.objects.filter(is_active=True, origin__startswith="demo:")
    people = found.in_bulk([login.username for login in DEMO_LOGINS], field_name="username")
    return [
        login
        for login in DEMO_LOGINS
        if login.username in people and people[login.username].check_password(login.password)
    ]
