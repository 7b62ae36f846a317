"""Prepares a site for serving: tables in SQL, static files, and votes in Redis."""

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections

from forum.config.data_directory import writing
from forum.models import Post, User
from forum.models.published_passwords import DEMO_LOGINS, DemoLogin
from forum.operations.repair import search_texts
from forum.operations.repair.rebuild import ensure_filled
from forum.operations.supervision.static_files import collect_static
from forum.store.service import get_voting_service
from voting.types import Order


def prepare() -> None:
    """Migrate SQL, make old posts searchable, collect static files, and fill Redis if it is empty.

    Raises CommandError if SQL is down. Raises StoreUnavailable if Redis is down, but prepares SQL
    and static files first.
    """
    try:
        call_command("migrate", interactive=False, verbosity=0)
        search_texts.fill_missing()
    except OperationalError as error:
        raise CommandError(f"The SQL database isn't responding: {error}") from error
    with writing(settings.FORUM_DATA):
        collect_static()
    ensure_filled()
    connections.close_all()


def refuse_votes_of_another_site() -> None:
    """Raise CommandError if Redis has posts but SQL has never had a post.

    New posts would get the ids of posts in Redis, and show the votes on those posts. Raises
    StoreUnavailable if Redis is down.
    """
    posts = get_voting_service().listings.page(Order.NEW, 1).total
    if not posts or Post.objects.exists():
        return
    new_site = "set REDIS_URL to an empty database"
    if settings.EMBEDDED:
        new_site = f"use a new FORUM_DATA, or delete {settings.VALKEY_DIR}"
    raise CommandError(
        f"Redis has the votes of {posts} posts, but the SQL database has never had a post: they"
        " belong to different sites. Set DATABASE_URL to the database that belongs to these votes;"
        f" for a new site, {new_site}."
    )


def working_demo_logins() -> list[DemoLogin]:
    """Return the demo log-ins whose public passwords still work."""
    names = {account.username for account in User.with_published_passwords()}
    return [login for login in DEMO_LOGINS if login.username in names]
