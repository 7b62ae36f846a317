"""manage.py up: everything the site needs, from one command, until Ctrl-C."""

import os
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.db import connection

from forum.config.postgresql.advisory_lock import alone
from forum.gateway.service import get_voting_service
from forum.management.base import remedy
from forum.models import User
from forum.operations.backups.restore import undo_interrupted_restore
from forum.operations.demo.loading import DemoLogin, is_unused, load_demo, refusal
from forum.operations.moving import moved_note
from forum.operations.repair.rebuild import refill
from forum.operations.supervision import parent_watch
from forum.operations.supervision.children import Child, Valkey
from forum.operations.supervision.claims import UP, claimed, listen
from forum.operations.supervision.prepare import open_logins, prepare, refuse_votes_of_others
from forum.operations.supervision.supervisor import Supervisor, say
from voting.errors import EmbeddedError, StoreUnavailable


class Command(BaseCommand):
    """Runs Valkey, the web server and the worker, and starts again what dies."""

    help = "Set up what is missing, then serve the site until Ctrl-C."
    requires_system_checks: tuple[str, ...] = ()  # they load every page, which the web server does

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the switches."""
        parser.add_argument("--no-demo", action="store_true", help="leave an empty site empty")
        parser.add_argument(
            "--reload", action="store_true", help="for developers: DEBUG=1, reload changed code"
        )
        parser.add_argument(
            "--accept-loss",
            action="store_true",
            help="where votes on disk are damaged: put the files aside, go on with what SQL has",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the site."""
        with (
            claimed(settings.FORUM_DATA, by=UP),
            listen(settings.HOST, settings.PORT) as listener,
            Supervisor(self._say) as site,
        ):
            if undone := undo_interrupted_restore():
                self._say(undone)
            mended = False
            if settings.EMBEDDED:
                mended = self._add_valkey(site, accept_loss=options["accept_loss"])
            self._prepare(demo=not options["no_demo"], mended=mended)
            if refusal():
                self._refuse_known_passwords()
            site.add(_web(listener, reload=options["reload"]))
            known = open_logins()  # takes long, as passwords do: while the web server starts
            site.add(_child("The worker", [str(settings.BASE_DIR / "manage.py"), "worker"]))
            self._welcome(known)
            site.watch(partial(moved_note.refusal, settings.FORUM_DATA))

    def _say(self, sentence: str) -> None:
        say(self.stdout, sentence)

    def _add_valkey(self, site: Supervisor, *, accept_loss: bool) -> bool:
        """Start Valkey; say whether a part of its files had to be dropped."""
        valkey = Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC)
        try:
            aside = valkey.accept_loss() if accept_loss else None
            site.add(valkey)
        except EmbeddedError as error:
            raise CommandError(str(error)) from error
        if aside:
            self._say(f"Dropped what could not be read. The damaged files are in {aside}.")
        return aside is not None

    def _prepare(self, *, demo: bool, mended: bool) -> None:
        """Make the site ready; without Redis it is served all the same, and fills it later.

        `mended`: Redis has lost what SQL may know, so that all of it is filled anew.
        """
        try:
            prepare()
            refuse_votes_of_others()
            if mended:
                self._say(f"Filled Redis with {refill()} posts and the votes on them from SQL.")
            for sentence in [] if settings.EMBEDDED else get_voting_service().upkeep.advice():
                self.stderr.write(f"The Redis of REDIS_URL: {sentence}")
            with alone():
                if demo and not refusal() and is_unused():
                    self._say(f"An empty site: loaded {load_demo()} demo posts.")
        except StoreUnavailable as error:
            self.stderr.write(f"{remedy(error)} Until it does, pages come without votes.")

    def _refuse_known_passwords(self) -> None:
        """Raise CommandError for a public site on which demo log-ins work."""
        names = ", ".join(login.username for login in open_logins())
        if names:
            raise CommandError(
                f"Everybody knows the passwords of the demo log-ins {names}: give them new ones "
                "with `python3 manage.py changepassword NAME`, or start with a new FORUM_DATA."
            )

    def _welcome(self, known: Sequence[DemoLogin]) -> None:
        """Say where to go and who can log in."""
        if settings.PRODUCTION and connection.vendor == "sqlite":
            self.stderr.write(
                "SQLite keeps people and posts: safe on one machine, but one writes at a time. "
                "DATABASE_URL=postgres://... lifts that."
            )
        self._say(f"Rostra is at {settings.SITE_URL} (Ctrl-C stops it).")
        for login in known:
            note = ", who runs the site (/admin/)" if login.runs_the_site else ""
            self._say(f"  Log in as {login.username} with {login.password}{note}.")
        if not User.objects.filter(is_superuser=True).exists():
            self._say("  Make your own account: python3 manage.py createsuperuser")


def _web(listener: socket.socket, *, reload: bool) -> Child:
    """Return the web server; it inherits the socket, so that a restart refuses nobody."""
    bind = f"fd://{listener.fileno()}"
    command = [
        "-m",
        "gunicorn",
        "-c",
        "python:forum.operations.supervision.webserver",
        "--bind",
        bind,
    ]
    if reload:
        return _child("The web server", [*command, "--reload"], listener, DEBUG="1")
    return _child("The web server", command, listener)


def _child(name: str, arguments: list[str], *listeners: socket.socket, **env: str) -> Child:
    """Return a Python of ours that ends with this process."""
    return Child(
        name,
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            **env,
            "FORUM_DATA": str(settings.FORUM_DATA),
            parent_watch.HOLDER: str(os.getpid()),
        },
        fds=[listener.fileno() for listener in listeners],
        reloads=bool(listeners),
    )
