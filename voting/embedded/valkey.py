"""The embedded Valkey: one server for a data directory, whoever asks for it and how often.

The server itself holds the lock of its directory, through a descriptor it inherits: while it
lives nobody starts a second one, and where its starter was killed the next one adopts it.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from voting.embedded import appendonly, lock
from voting.embedded.engine import APPENDFSYNC, binary, configuration, environment
from voting.embedded.flushing import Flusher
from voting.embedded.sealing import verify
from voting.embedded.sockets import own_directory, socket_path, socket_url
from voting.errors import EmbeddedError

START_SECONDS = 30.0
"""How long a server may stay silent at its start (reading back its data doesn't count)."""
STOP_SECONDS = 10.0
"""How long a server may take to end before it is killed."""


@dataclass(slots=True)
class Embedded:
    """A running server: started here (`process` is its handle) or adopted (None)."""

    directory: Path
    pid: int
    process: subprocess.Popen[bytes] | None
    flusher: Flusher = field(repr=False)

    @property
    def url(self) -> str:
        """The address of voting's database."""
        return socket_url(self.directory, 0)

    def alive(self) -> bool:
        """Tell whether the server still exists, also where it hangs, and can be reached."""
        return self._exists() and socket_path(self.directory).exists()

    def let_go(self) -> None:
        """Leave the server, dead or alive, to whoever takes it next."""
        self.flusher.stop()

    def give_up(self) -> None:
        """End the server, if it still exists, and wait until it is gone: it has the data."""
        self.let_go()
        _end(self.pid, self._exists)

    def stop(self) -> None:
        """Have everything written to disk, end the server and wait until it is gone."""
        self.give_up()
        self.flusher.finish()

    def _exists(self) -> bool:
        if self.process is not None:
            return self.process.poll() is None
        return lock.is_held(self.directory)


def start(directory: Path, fsync: str = "everysec") -> Embedded:
    """Return the server with data in `directory`, ready: the one that runs, else a new one.

    `fsync` is "everysec" or "always". Any number of processes may call this at once.
    Raises EmbeddedError. Who is interrupted leaves no server behind that they started.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    own_directory(directory)
    process = None
    deadline = time.monotonic() + START_SECONDS
    try:
        while time.monotonic() < deadline:
            if process is None:
                process = _launch(directory, fsync)
            elif process.poll() is not None:
                _mend(directory)
                process = None
                continue
            info = _info(directory)
            if info.get("loading"):
                deadline = time.monotonic() + START_SECONDS
            elif info:
                return _take(directory, fsync, int(info["process_id"]), process)
            time.sleep(0.02)
    except KeyboardInterrupt:
        if process is not None:
            _end_own(process)
        raise
    raise EmbeddedError(_given_up(directory, process))


def _given_up(directory: Path, process: subprocess.Popen[bytes] | None) -> str:
    """Say that a server does not answer; one that was started in vain is ended."""
    if process is not None:
        _end_own(process)
        return f"Valkey did not answer, and was ended: {appendonly.last_words(directory)}"
    pid = lock.noted(directory)
    which = f"process {pid}, which" if pid else "that"
    return f"The Valkey {which} holds {directory} does not answer: end it, start again."


def _end_own(process: subprocess.Popen[bytes]) -> None:
    _end(process.pid, lambda: process.poll() is None)


def _end(pid: int, exists: Callable[[], bool]) -> None:
    """End a server and wait until it is gone: SIGTERM has it write everything to disk first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + STOP_SECONDS
        if exists():
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        while exists() and time.monotonic() < deadline:
            time.sleep(0.02)


def _mend(directory: Path) -> None:
    """Make a server's files readable where that loses nothing that anybody was told of.

    Raises EmbeddedError with what is wrong where it does, or where the files are not the reason.
    """
    damage = appendonly.examine(directory, binary())
    if damage is None:
        raise EmbeddedError(f"Valkey did not start: {appendonly.last_words(directory)}")
    with lock.locked(directory) as held:
        if held is None or not appendonly.never_acknowledged(directory, damage):
            raise EmbeddedError(str(damage))
        appendonly.cut(directory, damage)


def _launch(directory: Path, fsync: str) -> subprocess.Popen[bytes] | None:
    """Start a server that holds the lock of `directory`; None where somebody holds it already.

    Raises EmbeddedError where a file was changed since it was written.
    """
    with lock.locked(directory) as held:
        if held is None:
            return None
        lock.note(held, None)
        changed = verify(directory)
        if changed is not None:
            raise EmbeddedError(str(changed))
        appendonly.unseal(directory)
        config = directory / "valkey.conf"
        config.write_bytes(configuration(directory, fsync))
        with config.open("rb") as given, (directory / "valkey.log").open("ab") as log:
            process = subprocess.Popen(
                [binary(), "-"],  # a file's name it would take for a pattern: [ ] * ?
                stdin=given,
                stdout=log,
                stderr=log,
                pass_fds=[held],
                env=environment(),
                start_new_session=True,
            )
        lock.note(held, process.pid)
        return process


def _take(
    directory: Path, fsync: str, pid: int, process: subprocess.Popen[bytes] | None
) -> Embedded:
    """Return the ready server; one that somebody else started is told our `fsync`."""
    if process is None:
        with _client(directory, START_SECONDS) as client:
            client.config_set("appendfsync", APPENDFSYNC[fsync])
    appendonly.mark(directory)
    flusher = Flusher(directory, partial(_close, directory), syncing=fsync == "everysec")
    with suppress(OSError):  # it looks again at once, and says what is wrong
        flusher.look()
    flusher.start()
    return Embedded(directory, pid, process, flusher)


def _close(directory: Path, closed: bool) -> None:
    """Have the server refuse writes by wanting a replica, which it never has, or take them."""
    with _client(directory) as client:
        client.config_set("min-replicas-to-write", int(closed))


def _info(directory: Path) -> dict[str, Any]:
    """Return what the server tells of itself (it does so while it loads), or nothing."""
    try:
        with _client(directory) as client:
            return dict(client.info())
    except (RedisError, OSError):
        return {}


def _client(directory: Path, seconds: float = 1.0) -> Redis:
    """Return a client that asks once, and waits so long at most."""
    return Redis(
        unix_socket_path=str(socket_path(directory)),
        socket_timeout=seconds,
        retry=Retry(NoBackoff(), 0),
    )
