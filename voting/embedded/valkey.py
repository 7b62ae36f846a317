"""The embedded Valkey: one server for a data directory, whoever asks for it and how often.

The server itself holds the lock of its directory, through a descriptor it inherits: while it
lives nobody starts a second one, and where its starter was killed the next one adopts it.
"""

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from voting.embedded import appendonly
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
        """Tell whether the server still exists, also where it hangs."""
        if self.process is not None:
            return self.process.poll() is None
        return is_held(self.directory)

    def let_go(self) -> None:
        """Leave the server, dead or alive, to whoever takes it next."""
        self.flusher.stop()

    def stop(self) -> None:
        """Have everything written to disk, end the server and wait until it is gone."""
        self.let_go()
        with suppress(RedisError), _client(self.directory) as client:
            client.shutdown(now=True, force=True)
        if not self._ended():
            os.kill(self.pid, signal.SIGKILL)
            self._ended()
        self.flusher.finish()

    def _ended(self) -> bool:
        deadline = time.monotonic() + STOP_SECONDS
        while self.alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        return not self.alive()


def start(directory: Path, fsync: str = "everysec") -> Embedded:
    """Return the server with data in `directory`, ready: the one that runs, else a new one.

    `fsync` is "everysec" or "always". Any number of processes may call this at once.
    Raises EmbeddedError.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    own_directory(directory)
    process = None
    deadline = time.monotonic() + START_SECONDS
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
    raise EmbeddedError(f"The Valkey that holds {directory} does not answer: end it, start again.")


def _mend(directory: Path) -> None:
    """Make a server's files readable where that loses nothing that anybody was told of.

    Raises EmbeddedError with what is wrong where it does, or where the files are not the reason.
    """
    damage = appendonly.examine(directory, binary())
    if damage is None:
        raise EmbeddedError(f"Valkey did not start: {appendonly.last_words(directory)}")
    with _lock(directory) as held:
        if held is None or not appendonly.never_acknowledged(directory, damage):
            raise EmbeddedError(str(damage))
        appendonly.cut(directory, damage)


def is_held(directory: Path) -> bool:
    """Say whether a server has this directory, whoever started it."""
    if not directory.exists():
        return False
    with _lock(directory) as held:
        return held is None


def _launch(directory: Path, fsync: str) -> subprocess.Popen[bytes] | None:
    """Start a server that holds the lock of `directory`; None where somebody holds it already.

    Raises EmbeddedError where a file was changed since it was written.
    """
    with _lock(directory) as held:
        if held is None:
            return None
        changed = verify(directory)
        if changed is not None:
            raise EmbeddedError(str(changed))
        appendonly.unseal(directory)
        config = directory / "valkey.conf"
        config.write_bytes(configuration(directory, fsync))
        with (directory / "valkey.log").open("ab") as log:
            return subprocess.Popen(
                [binary(), config],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[held],
                env=environment(),
                start_new_session=True,
            )


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


@contextmanager
def _lock(directory: Path) -> Iterator[int | None]:
    """Hold the lock of `directory` through a descriptor; None where another process holds it.

    Leaving closes only our descriptor: a server that inherited it goes on holding the lock.
    """
    descriptor = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor if _flock(descriptor) else None
    finally:
        os.close(descriptor)


def _flock(descriptor: int) -> bool:
    """Lock an open file; False where another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
