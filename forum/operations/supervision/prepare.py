"""Makes a site ready to serve: tables, static files, votes in Redis. Quick when all is there."""

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections

from forum.config.data_directory import writing
from forum.gateway.service import get_voting_service
from forum.models import Post, User
from forum.operations.demo.loading import DEMO_LOGINS, DemoLogin
from forum.operations.repair.rebuild import ensure_filled
from forum.operations.supervision.static_files import collect_static
from forum.text import links, same_page
from voting.types import Order


def prepare() -> None:
    """Bring tables and static files up to date, then fill an empty Redis.

    Raises ImproperlyConfigured if a rule about addresses contradicts its examples, CommandError
    where SQL is away, and StoreUnavailable: the rest is done then.
    """
    same_page.prove(links.RULES, links.key)
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except OperationalError as error:
        raise CommandError(f"The SQL database does not answer: {error}") from error
    with writing(settings.FORUM_DATA):
        collect_static()
    ensure_filled()
    connections.close_all()


def refuse_votes_of_others() -> None:
    """Raise CommandError where Redis has posts and SQL never had one: what is written next would
    get their numbers, and with these the votes of strangers. One round trip; raises
    StoreUnavailable, too.

    Redis is asked first: whoever fills both beside us begins with SQL.
    """
    posts = get_voting_service().listing(Order.NEW, 1).total
    if not posts or Post.objects.exists():
        return
    anew = "give REDIS_URL a database that is empty"
    if settings.EMBEDDED:
        anew = f"take a new FORUM_DATA, or delete {settings.VALKEY_DIR}"
    raise CommandError(
        f"Redis holds posts with their votes ({posts} in all), and SQL never had one: they are not"
        " of one site. Give DATABASE_URL the database that these votes belong to; to begin anew,"
        f" {anew}."
    )


def open_logins() -> list[DemoLogin]:
    """Return the demo log-ins that still work with the password everybody knows."""
    found = User.objects.filter(is_active=True, origin__startswith="demo:")
    people = found.in_bulk([login.username for login in DEMO_LOGINS], field_name="username")
    return [
        login
        for login in DEMO_LOGINS
        if login.username in people and people[login.username].check_password(login.password)
    ]
