"""manage.py up: run all parts of the site until Ctrl-C."""

import os
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import connection

from forum.config.checks import published_passwords_sentence
from forum.config.postgresql.advisory_lock import setup_lock
from forum.management.base import SiteCommand, remedy
from forum.models import User
from forum.models.published_passwords import DemoLogin
from forum.operations.demo.loading import is_unused, load_demo, refusal
from forum.operations.repair.rebuild import refill
from forum.operations.supervision import parent_watch
from forum.operations.supervision.children import Process, Valkey
from forum.operations.supervision.claims import UP, claimed, listen
from forum.operations.supervision.prepare import (
    prepare,
    refuse_votes_of_another_site,
    working_demo_logins,
)
from forum.operations.supervision.supervisor import Supervisor, write_line
from forum.store.service import get_voting_service
from voting.errors import EmbeddedError, StoreUnavailable


class Command(SiteCommand):
    """Run Valkey, the web server and the worker, and restart any process that dies."""

    help = "Set up what is missing, then run the site until Ctrl-C."
    requires_system_checks: tuple[str, ...] = ()  # checks load all pages, which is slow

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the command's options."""
        parser.add_argument(
            "--no-demo", action="store_true", help="load no demo content into an empty site"
        )
        parser.add_argument(
            "--reload", action="store_true", help="for developers: DEBUG=1, reload changed code"
        )
        parser.add_argument(
            "--accept-loss",
            action="store_true",
            help="if the votes on disk are damaged: keep a copy of the files, and reload from SQL",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the site."""
        with (
            claimed(settings.FORUM_DATA, by=UP),
            listen(settings.HOST, settings.PORT) as listener,
            Supervisor(self._say) as site,
        ):
            recovered = False
            if settings.EMBEDDED:
                recovered = self._add_valkey(site, accept_loss=options["accept_loss"])
            self._prepare(demo=not options["no_demo"], recovered=recovered)
            if refusal():
                self._refuse_known_passwords()
            site.add(_web(listener, reload=options["reload"]))
            demo_logins = working_demo_logins()  # slow, so do it while the web server starts
            site.add(_child("The worker", [str(settings.BASE_DIR / "manage.py"), "worker"]))
            self._welcome(demo_logins)
            site.watch()

    def _say(self, sentence: str) -> None:
        write_line(self.stdout, sentence)

    def _add_valkey(self, site: Supervisor, *, accept_loss: bool) -> bool:
        """Start Valkey. Return whether unreadable votes were first removed from Valkey's files."""
        valkey = Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC)
        try:
            aside = valkey.accept_loss() if accept_loss else None
            site.add(valkey)
        except EmbeddedError as error:
            raise CommandError(str(error)) from error
        if aside:
            self._say(f"Dropped votes that could not be read. The damaged files are in {aside}.")
        return aside is not None

    def _prepare(self, *, demo: bool, recovered: bool) -> None:
        """Prepare SQL, static files and Redis. If Redis is down, print a warning.

        `demo`: load the demo content if the site is unused. `recovered`: fill Redis again from SQL,
        because damaged data was removed from Valkey's files.
        """
        try:
            prepare()
            refuse_votes_of_another_site()
            if recovered:
                self._say(f"Filled Redis with {refill()} posts and the votes on them from SQL.")
            if not settings.EMBEDDED:
                for sentence in get_voting_service().maintenance.server.advice():
                    self.stderr.write(f"The Redis of REDIS_URL: {sentence}")
            with setup_lock():
                if demo and not refusal() and is_unused():
                    self._say(f"The site was empty: loaded {load_demo()} demo posts.")
        except StoreUnavailable as error:
            self.stderr.write(
                f"{remedy(error)} Until Redis is ready, pages are shown without votes."
            )

    def _refuse_known_passwords(self) -> None:
        """Raise CommandError if demo passwords, which everybody knows, still work."""
        if sentence := published_passwords_sentence():
            raise CommandError(sentence)

    def _welcome(self, demo_logins: Sequence[DemoLogin]) -> None:
        """Print the URL of the site, and the demo user names and passwords."""
        if settings.PRODUCTION and connection.vendor == "sqlite":
            self.stderr.write(
                "People and posts are in SQLite, which is safe on one machine but allows only one "
                "writer at a time. For a busy site, set DATABASE_URL=postgres://..."
            )
        self._say(f"Rostra is at {settings.SITE_URL} (Ctrl-C stops it).")
        if settings.READ_ONLY:
            self._say("  READ_ONLY=1: people can read, but not write, vote or log in.")
        for login in demo_logins:
            note = f", {login.role}" if login.role else ""
            self._say(f"  Log in as {login.username} with {login.password}{note}.")
        if not User.objects.filter(is_superuser=True).exists():
            self._say("  Make your own account: python3 manage.py createsuperuser")


def _web(listener: socket.socket, *, reload: bool) -> Process:
    """Return the web server's process. The server accepts requests on the open socket `listener`.

    The socket stays open during a restart, so browsers can always connect.
    """
    configuration = "python:forum.operations.supervision.webserver"
    command = ["-m", "gunicorn", "-c", configuration, "--bind", f"fd://{listener.fileno()}"]
    if reload:
        return _child("The web server", [*command, "--reload"], listener, DEBUG="1")
    return _child("The web server", command, listener)


def _child(name: str, arguments: list[str], *listeners: socket.socket, **env: str) -> Process:
    """Return a Python process that ends when this process ends."""
    return Process(
        name,
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            **env,
            "FORUM_DATA": str(settings.FORUM_DATA),
            parent_watch.PARENT: str(os.getpid()),
        },
        fds=[listener.fileno() for listener in listeners],
        reloads=bool(listeners),
    )
