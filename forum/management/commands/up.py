"""manage.py up: everything the site needs, from one command, until Ctrl-C."""

import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from forum import leash
from forum.claims import claimed, listen
from forum.demo.loading import is_unused, load_demo, refusal
from forum.management.base import remedy
from forum.models import User
from forum.parts import Child, Valkey
from forum.preparing import open_logins, prepare
from forum.store import voting
from forum.supervisor import Supervisor
from voting.errors import EmbeddedError, StoreUnavailable


class Command(BaseCommand):
    """Runs Valkey, the web server and the worker, and starts again what dies."""

    help = "Set up what is missing, then serve the site until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the two switches."""
        parser.add_argument("--no-demo", action="store_true", help="leave an empty site empty")
        parser.add_argument(
            "--reload", action="store_true", help="for developers: DEBUG=1, reload changed code"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the site."""
        with (
            claimed(settings.FORUM_DATA),
            listen(settings.HOST, settings.PORT) as listener,
            Supervisor(self._say) as site,
        ):
            if settings.EMBEDDED:
                self._add_valkey(site)
            self._prepare(demo=not options["no_demo"])
            site.add(_web(listener, reload=options["reload"]))
            site.add(_child("The worker", [str(settings.BASE_DIR / "manage.py"), "worker"]))
            self._welcome()
            site.watch()

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()

    def _add_valkey(self, site: Supervisor) -> None:
        try:
            site.add(Valkey(settings.VALKEY_DIR, settings.VALKEY_FSYNC))
        except EmbeddedError as error:
            raise CommandError(str(error)) from error

    def _prepare(self, *, demo: bool) -> None:
        """Make the site ready; without Redis it is served all the same, and fills it later."""
        try:
            prepare()
            for sentence in [] if settings.EMBEDDED else voting().upkeep.advice():
                self.stderr.write(f"The Redis of REDIS_URL: {sentence}")
            if demo and not refusal() and is_unused():
                self._say(f"An empty site: loaded {load_demo()} demo posts.")
        except StoreUnavailable as error:
            self.stderr.write(f"{remedy(error)} Until it does, pages come without votes.")

    def _welcome(self) -> None:
        """Say where to go and who can log in. Raises CommandError for a public demo."""
        known = open_logins()
        if known and refusal():
            names = ", ".join(login.username for login in known)
            raise CommandError(
                f"Everybody knows the passwords of the demo log-ins {names}: give them new ones "
                "with `python3 manage.py changepassword NAME`, or start with a new FORUM_DATA."
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
    command = ["-m", "gunicorn", "-c", "python:forum.webserver", "--bind", bind]
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
            leash.HOLDER: str(os.getpid()),
        },
        fds=[listener.fileno() for listener in listeners],
    )
