"""Starts and stops a site for a test, and finds the site's processes."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from forum.operations.supervision.bootstrap import BASE
from tests.ports import free_port
from tests.waiting import until

SAFE = {
    "PRODUCTION": "1",
    "SECRET_KEY": "kT3v-9sPq_LmZ0xWc7RfYbN2hJd8gUaE5iOo4tVyKpSwXzQeA1",
    "SITE_URL": "https://forum.example.org",
    "EMAIL_URL": "smtp://localhost",
}
"""Environment variables that are enough for a site with PRODUCTION=1."""
READY = "Rostra is at"


class Site:
    """A site with its own data directory and port."""

    def __init__(self, data: Path, says: Path | None = None) -> None:
        self.port = free_port()
        self.data = data
        self._output = says or data.parent / f"{data.name}.log"
        self._settings = {"FORUM_DATA": str(data), "PORT": str(self.port), "WEB_CONCURRENCY": "1"}

    def command(self, *arguments: str, **given: str) -> subprocess.Popen[bytes]:
        """Start a command of manage.py for this site. The output goes to the site's log."""
        with self._output.open("a") as output:
            return subprocess.Popen(
                [sys.executable, str(BASE / "manage.py"), *arguments],
                env=os.environ | self._settings | given,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def output(self) -> str:
        """Return the output of all commands of this site so far."""
        return self._output.read_text() if self._output.exists() else ""

    @contextmanager
    def up(self, *arguments: str, **given: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start the site, wait until it responds, and stop it when the `with` block ends."""
        begun = self.output().count(READY)
        process = self.command("up", *arguments, **given)
        try:
            until(lambda: self.output().count(READY) > begun, "up reports that the site is ready")
            until(self.answers, "the site answers")
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=120)

    def token(self, name: str, *scopes: str) -> str:
        """Create a token of the API for a person, while the site runs."""
        code = (
            "from forum.api import tokens; from forum.models import User; "
            f"person = User.objects.get(username={name!r}); "
            f"print('TOKEN', tokens.create(user=person, name='Client', scopes={list(scopes)!r}))"
        )
        assert self.command("shell", "-c", code).wait(timeout=60) == 0, self.output()
        return str(re.findall(r"TOKEN (\S+)", self.output())[-1])

    @contextmanager
    def services(self, **given: str) -> Iterator[None]:
        """Run the site's Valkey alone, and stop it when the `with` block ends."""
        process = self.command("services", **given)
        try:
            until(lambda: "Valkey is running at" in self.output(), "Valkey runs")
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=120)

    def answers(self, path: str = "healthz") -> bool:
        return answers(self.port, path)


def answers(port: int, path: str = "healthz") -> bool:
    """Return whether a page responds with status 200."""
    try:
        with urlopen(f"http://localhost:{port}/{path}", timeout=20) as page:
            return bool(page.status == 200)
    except (URLError, HTTPException, OSError):
        return False


def processes() -> dict[int, tuple[int, str]]:
    """Return all processes by pid, each with its parent's pid and its command line."""
    found = psutil.process_iter(["ppid", "cmdline", "status"])
    return {
        one.pid: (one.info["ppid"], " ".join(one.info["cmdline"] or ()))
        for one in found
        if one.info["status"] != psutil.STATUS_ZOMBIE
    }


def started_by(pid: int) -> dict[int, str]:
    """Return the command lines of all descendants of a process, by pid."""
    running = processes()
    found = {pid: ""}
    while more := {
        child: args
        for child, (parent, args) in running.items()
        if parent in found and child not in found
    }:
        found |= more
    del found[pid]
    return found


def child(up: subprocess.Popen[bytes], word: str) -> int:
    """Return the pid of the child process of `up` whose command line contains `word`."""
    running = processes().items()
    return next(pid for pid, (parent, args) in running if parent == up.pid and word in args)


def serving(up: subprocess.Popen[bytes]) -> set[int]:
    """Return the pids of the gunicorn workers that `up` started."""
    gunicorns = {pid: parent for pid, (parent, args) in processes().items() if "gunicorn" in args}
    own = started_by(up.pid)
    return {pid for pid, parent in gunicorns.items() if pid in own and parent in gunicorns}


def manage(data: Path, *arguments: str, **given: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py with this data directory and environment, and return the finished process."""
    return subprocess.run(
        [sys.executable, str(BASE / "manage.py"), *arguments],
        env={
            name: value
            for name, value in os.environ.items()
            if name != "DJANGO_ALLOW_ASYNC_UNSAFE"  # set by the browser tests only
        }
        | {"FORUM_DATA": str(data)}
        | given,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
