"""Starts and stops the embedded Valkey: one server for each data directory.

Any number of processes can use a server. A running server holds the lock of the data directory, so
no process starts a second server there. If the process that started the server is killed, the next
process that calls `start` uses the running server.

`appendfsync` says how often the server syncs its append-only file to disk. With `everysec`, the
server may acknowledge a write while a sync is running, before it has passed the write to the
operating system. A `kill -9` at that moment can lose the write. In tests, 100 kills lost none of
200,000 acknowledged writes, even while other programs wrote to the disk or a sync took 20 ms. When
a sync took 300 ms, 6 of 20 kills lost writes: 911 of 29,650 in total.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from voting.embedded import aof, lock
from voting.embedded.engine import PID_FILE, binary, configuration, environment
from voting.embedded.sockets import create_socket_directory, socket_path, socket_url
from voting.errors import DamagedFilesError, EmbeddedError

START_SECONDS = 30.0
"""Seconds that a starting server may take to answer, after its data is loaded."""
STOP_SECONDS = 10.0
"""Seconds that a server may take to stop before it is killed."""
ADVICE = (
    "Nothing was changed. Restore a backup (`python3 manage.py restore FOLDER`), or keep what can "
    "be read and reload the rest from the SQL database: `python3 manage.py up --accept-loss` first "
    "copies the damaged files to a folder."
)


@dataclass(slots=True)
class Embedded:
    """A running server. `process` is None if another process started the server."""

    directory: Path
    pid: int
    process: subprocess.Popen[bytes] | None

    @property
    def url(self) -> str:
        """The URL of database 0, which `voting` uses."""
        return socket_url(self.directory, 0)

    def alive(self) -> bool:
        """Return whether the server's process exists, even if it hangs."""
        if self.process is not None:
            return self.process.poll() is None
        return lock.is_locked(self.directory)

    def stop(self) -> None:
        """Stop the server and wait until its process has ended."""
        _end(self.pid, self.alive)


def start(directory: Path, fsync: str = "everysec") -> Embedded:
    """Start a server for `directory` unless one is running; return the server once it answers.

    `fsync` says how often the server syncs to disk: "everysec" or "always". Several processes may
    call this function at once. Raises DamagedFilesError if the server can't read its append-only
    files. Raises EmbeddedError if the server doesn't start or answer for any other reason.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    create_socket_directory(directory)
    process = None
    deadline = time.monotonic() + START_SECONDS
    try:
        while time.monotonic() < deadline:
            if process is None:
                process = _launch(directory, fsync)
            elif process.poll() is not None:
                raise _start_error(directory)
            info = _info(directory)
            if info.get("loading"):
                deadline = time.monotonic() + START_SECONDS
            elif info:
                return _ready(directory, fsync, int(info["process_id"]), process)
            time.sleep(0.02)
    except KeyboardInterrupt:
        if process is not None:
            _end_own(process)
        raise
    raise _timeout_error(directory, process)


def _start_error(directory: Path) -> EmbeddedError:
    words = _last_log_line(directory)
    if aof.DAMAGE.search(words):
        return DamagedFilesError(
            f"The votes on disk are damaged. Valkey reports: {words}. {ADVICE}"
        )
    return EmbeddedError(f"Valkey did not start: {words}")


def _timeout_error(directory: Path, process: subprocess.Popen[bytes] | None) -> EmbeddedError:
    """Return the error to raise if the server doesn't answer.

    If this process started the server, stop the server first.
    """
    if process is not None:
        _end_own(process)
        return EmbeddedError(f"Valkey did not answer and was ended: {_last_log_line(directory)}")
    return EmbeddedError(
        f"Valkey does not answer: end the process that {directory / PID_FILE} names, start again."
    )


def _last_log_line(directory: Path) -> str:
    file = directory / "valkey.log"
    lines = file.read_text(errors="replace").strip().splitlines()
    return f"{lines[-1] if lines else 'nothing was logged'} ({file})"


def _end_own(process: subprocess.Popen[bytes]) -> None:
    _end(process.pid, lambda: process.poll() is None)


def _end(pid: int, exists: Callable[[], bool]) -> None:
    """Send SIGTERM to a process, then SIGKILL if it is still running; wait until it has ended."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + STOP_SECONDS
        if exists():
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        while exists() and time.monotonic() < deadline:
            time.sleep(0.02)


def _launch(directory: Path, fsync: str) -> subprocess.Popen[bytes] | None:
    """Start a server that holds the lock of `directory`; return None if the lock is taken."""
    with lock.locked(directory) as descriptor:
        if descriptor is None:
            return None
        config = directory / "valkey.conf"
        config.write_bytes(configuration(directory, fsync))
        with config.open("rb") as stdin, (directory / "valkey.log").open("ab") as log:
            return subprocess.Popen(
                [binary(), "-"],  # it would expand [ ] * ? in the name of a file
                stdin=stdin,
                stdout=log,
                stderr=log,
                pass_fds=[descriptor],
                env=environment(),
                start_new_session=True,
            )


def _ready(
    directory: Path, fsync: str, pid: int, process: subprocess.Popen[bytes] | None
) -> Embedded:
    """Return the running server.

    If another process started the server, first set the server's `appendfsync` to `fsync`.
    """
    if process is None:
        with _client(directory, START_SECONDS) as client:
            client.config_set("appendfsync", fsync)
    return Embedded(directory, pid, process)


def _info(directory: Path) -> dict[str, Any]:
    """Return the server's reply to INFO, or {} if the server doesn't answer."""
    try:
        with _client(directory) as client:
            return dict(client.info())
    except (RedisError, OSError):
        return {}


def _client(directory: Path, seconds: float = 1.0) -> Redis:
    return Redis(
        unix_socket_path=str(socket_path(directory)),
        socket_timeout=seconds,
        retry=Retry(NoBackoff(), 0),
    )
