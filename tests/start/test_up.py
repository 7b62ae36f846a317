"""`manage.py up`, as the person at the terminal meets it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest
from django.core.management import CommandError

from forum.operations.supervision.bootstrap import BASE
from forum.operations.supervision.claims import listen
from tests.ports import free_port

READY = "Rostra is at"


class Site:
    """A site in a directory and on a port of its own."""

    def __init__(self, data: Path, says: Path | None = None) -> None:
        self.port = free_port()
        self.data = data
        self._output = says or data.parent / f"{data.name}.log"
        self._settings = {
            "FORUM_DATA": str(data),
            "PORT": str(self.port),
            "WEB_CONCURRENCY": "1",
        }

    def command(self, *arguments: str, **given: str) -> subprocess.Popen[bytes]:
        """Start a command of manage.py, whose output goes to a file."""
        with self._output.open("a") as output:
            return subprocess.Popen(
                [sys.executable, str(BASE / "manage.py"), *arguments],
                env=os.environ | self._settings | given,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def said(self) -> str:
        """Return all that the site's commands have printed."""
        return self._output.read_text() if self._output.exists() else ""

    @contextmanager
    def up(self, *arguments: str, **given: str) -> Iterator[subprocess.Popen[bytes]]:
        """Have the site up until the end of the block; the site answers when the block begins."""
        begun = self.said().count(READY)
        process = self.command("up", *arguments, **given)
        try:
            eventually(lambda: self.said().count(READY) > begun, "up says that the site is there")
            eventually(self.answers, "the site answers")
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=120)

    def answers(self, path: str = "healthz") -> bool:
        """Tell whether a page of the site comes."""
        return answers(self.port, path)


def answers(port: int, path: str = "healthz") -> bool:
    """Tell whether a page comes from this machine's port."""
    try:
        with urlopen(f"http://localhost:{port}/{path}", timeout=20) as page:
            return bool(page.status == 200)
    except (URLError, HTTPException, OSError):
        return False


def eventually(holds: Callable[[], object], what: str, seconds: float = 120) -> None:
    """Wait until something holds."""
    give_up_at = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up_at, f"waited {seconds} s until {what}"
        time.sleep(0.05)


def processes() -> dict[int, tuple[int, str]]:
    """Return what runs on this machine: the parent's pid and the command line of each pid."""
    there = psutil.process_iter(["ppid", "cmdline", "status"])
    return {
        one.pid: (one.info["ppid"], " ".join(one.info["cmdline"] or ()))
        for one in there
        if one.info["status"] != psutil.STATUS_ZOMBIE
    }


def started_by(pid: int) -> dict[int, str]:
    """Return all that a process has started, and what that has started."""
    there = processes()
    found = {pid: ""}
    while more := {
        child: args
        for child, (parent, args) in there.items()
        if parent in found and child not in found
    }:
        found |= more
    del found[pid]
    return found


def child(up: subprocess.Popen[bytes], word: str) -> int:
    """Return the pid of what `up` itself has started with `word` in its command line."""
    there = processes().items()
    return next(pid for pid, (parent, args) in there if parent == up.pid and word in args)


def serving(up: subprocess.Popen[bytes]) -> set[int]:
    """Return the pids of the processes that answer browsers, which gunicorn has started."""
    there = {pid: parent for pid, (parent, args) in processes().items() if "gunicorn" in args}
    own = started_by(up.pid)
    return {pid for pid, parent in there.items() if pid in own and parent in there}


def test_up_serves_outlives_what_dies_and_leaves_nothing_running(tmp_path: Path) -> None:
    site = Site(tmp_path / "my data")
    with site.up() as up:
        assert site.answers("")
        first = started_by(up.pid)

        second = site.command("up")
        assert second.wait(timeout=120) == 1
        assert "Rostra is already running with the data in" in site.said()

        victims = [child(up, word) for word in ("gunicorn", "valkey-server", "worker")]
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        eventually(lambda: len(started_by(up.pid).keys() - victims) >= len(first), "all are back")
        eventually(lambda: site.answers(""), "the site answers again")
        last = started_by(up.pid)
    assert up.returncode == 0
    eventually(lambda: not (first | last).keys() & processes().keys(), "all processes are gone")

    said = site.said()
    assert f"Rostra is at http://localhost:{site.port} (Ctrl-C stops it)." in said
    assert "Log in as ada with rostra-demo-ada, a superuser (/admin/)." in said
    for name in ("The web server", "Valkey", "The worker"):
        assert f"{name} has ended unexpectedly and is restarted." in said


@pytest.mark.faults
def test_after_a_killed_up_the_next_one_starts_and_adopts_what_is_there(tmp_path: Path) -> None:
    """The first one is for the public, and so has no demo log-ins."""
    site = Site(tmp_path)
    killed = site.command("up", HOST="0.0.0.0")
    eventually(site.answers, "the site answers")
    valkey = child(killed, "valkey-server")
    killed.kill()
    killed.wait()
    assert "Log in as" not in site.said()
    assert "createsuperuser" in site.said()
    with site.up("--no-demo") as up:
        assert valkey in processes()
        last = started_by(up.pid)
    assert up.returncode == 0
    assert "Log in as" not in site.said()
    eventually(lambda: not ({valkey} | last.keys()) & processes().keys(), "all processes are gone")


def test_a_port_that_is_taken_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forum.operations.supervision.claims.LISTEN_SECONDS", 0.0)
    port = free_port()
    refusal = pytest.raises(CommandError, match=f"Can't listen on 127.0.0.1 port {port}")
    with socket.create_server(("127.0.0.1", port)), refusal:
        listen("127.0.0.1", port)
    with listen("127.0.0.1", port) as free:
        assert free.getsockname()[1] == port


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="there is no IPv6 here")
def test_who_asks_for_all_addresses_in_the_way_of_ipv6_is_reached_by_ipv4_too() -> None:
    port = free_port()
    with listen("::", port):
        for host in ("127.0.0.1", "::1"):
            socket.create_connection((host, port), timeout=10).close()


def test_an_address_of_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forum.operations.supervision.claims.LISTEN_SECONDS", 0.0)
    with pytest.raises(CommandError, match="use another PORT or HOST"):
        listen("192.0.2.1", 8000)
