"""Starts web servers in separate processes, and reads the CPU time of these processes."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120.0
STOP_SECONDS = 30.0
OURS = ("REDIS_URL", "DATABASE_URL", "CACHE_URL", "EMAIL_URL", "SITE_URL", "PRODUCTION", "DEBUG")
"""Environment variables that the measured site doesn't inherit from the shell."""

HURRY = dict.fromkeys(
    (
        *("LIMIT_VOTE", "LIMIT_NEW_VOTE", "LIMIT_LOGIN", "LIMIT_API", "LIMIT_NEW_API"),
        *("LIMIT_SEARCH", "LIMIT_NEW_SEARCH"),
    ),
    "1000000/1",
) | dict.fromkeys(("VOTES_A_DAY", "VOTES_ON_AUTHOR"), "0")
"""Environment variables that make rate limits very high, so that no request is refused."""


@dataclass(frozen=True, slots=True)
class Site:
    """A running web server. `pid` is the process id of gunicorn, or of the `up` that started it."""

    port: int
    pid: int

    def cpu(self) -> float:
        """Return the CPU time that gunicorn's workers have used so far, in milliseconds."""
        return sum(_threads_cpu(pid) for pid in self.workers()) / 1e6

    def workers(self) -> list[int]:
        """Return the process ids of gunicorn's workers."""
        return _workers(self.pid)

    def holder(self, connection: socket.socket) -> int:
        """Return the pid of the gunicorn worker that serves a connection."""
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        ports = [f"{port:04X}" for port in (self.port, connection.getsockname()[1])]
        (inode,) = (
            fields[9]
            for fields in map(str.split, lines)
            if [address.rpartition(":")[2] for address in fields[1:3]] == ports
        )
        (pid,) = (pid for pid in self.workers() if _has(pid, f"socket:[{inode}]"))
        return pid


@contextmanager
def rostra(log: IO[bytes] | None = None, **env: str) -> Iterator[Site]:
    """Run Rostra with demo content in a temporary folder, by `manage.py up`.

    `env` adds variables such as FORUM_DATA to the site's environment. The site's output goes to
    `log`.
    """
    with TemporaryDirectory(prefix="rostra-bench-", ignore_cleanup_errors=True) as data:
        settings = {"FORUM_DATA": data} | HURRY | env
        with _running(_free_port(), ["manage.py", "up"], log, **settings) as site:
            yield site


@contextmanager
def empty_view() -> Iterator[Site]:
    """Run a site with one empty Django page, under gunicorn with Rostra's settings."""
    port = _free_port()
    server = [
        "-m",
        "gunicorn",
        "-c",
        "python:forum.operations.supervision.webserver",
        "--bind",
        f"127.0.0.1:{port}",
    ]
    with _running(port, [*server, "benchmarks.empty"]) as site:
        yield site


@contextmanager
def _running(
    port: int, arguments: list[str], log: IO[bytes] | None = None, **env: str
) -> Iterator[Site]:
    """Run a web server on `port` until the block ends. The server keeps idle connections open."""
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    ours = {"PORT": str(port), "GUNICORN_CMD_ARGS": "--keep-alive 300", **env}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=kept | ours,
        stdout=log or subprocess.DEVNULL,
        stderr=log,
    )
    try:
        _await_answer(port, process)
        yield Site(port, process.pid)
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_answer(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = monotonic() + START_SECONDS
    while monotonic() < deadline and process.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/")
            connection.getresponse()
        except (OSError, HTTPException):
            sleep(0.1)
        else:
            return
        finally:
            connection.close()
    raise SystemExit("The web server that was to be measured did not start.")


def _workers(pid: int) -> list[int]:
    """Return the process ids of gunicorn's workers. `pid` is gunicorn or its parent process."""
    below = {one: _parent(one) for one in _processes()}
    masters = [one for one in (pid, *_children(below, pid)) if _is_gunicorn(one)]
    return _children(below, masters[0])


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _children(parents: dict[int, int], pid: int) -> list[int]:
    return [child for child, parent in parents.items() if parent == pid]


def _is_gunicorn(pid: int) -> bool:
    return b"gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _has(pid: int, what: str) -> bool:
    return any(str(file.readlink()) == what for file in Path(f"/proc/{pid}/fd").iterdir())


def _threads_cpu(pid: int) -> int:
    """Return the CPU time of all threads of a process, in nanoseconds."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)
