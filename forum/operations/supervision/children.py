"""The child processes of `up`: the embedded Valkey, the web server and the worker."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from voting.embedded.aof import create_from_snapshot
from voting.embedded.lock import is_locked
from voting.embedded.recovery import accept_loss
from voting.embedded.valkey import Embedded, start

STOP_SECONDS = 10.0
"""How many seconds a process may take to end before it is killed."""


class Child(Protocol):
    """A process that the supervisor starts, watches and stops."""

    name: str

    def start(self) -> None:
        """Start the process. Raises EmbeddedError or OSError if it can't be started."""

    def alive(self) -> bool:
        """Return whether the process is running."""

    def reload(self) -> None:
        """Make the process use the current code and settings. Raises OSError if that fails."""

    def stop(self) -> None:
        """Stop the process and wait until it has ended."""


class Valkey:
    """The embedded Valkey server."""

    name = "Valkey"

    def __init__(self, directory: Path, fsync: str) -> None:
        self._directory = directory
        self._fsync = fsync
        self._server: Embedded | None = None

    def start(self) -> None:
        """Start the server, or use one that already runs with these files. Raises EmbeddedError."""
        self._server = start(self._directory, self._fsync)

    def is_running(self) -> bool:
        """Return whether a server, started by any process, uses the data directory."""
        return is_locked(self._directory)

    def create_from_snapshot(self, snapshot: Path) -> None:
        """Create the server's files from a snapshot. Call this before the first start."""
        create_from_snapshot(self._directory, snapshot)

    def accept_loss(self) -> Path | None:
        """Remove damaged data from the server's files, so that the server can start.

        Returns the folder with copies of the damaged files, or None if no file is damaged. Call
        this before `start`.
        """
        return accept_loss(self._directory)

    def alive(self) -> bool:
        """Return whether the server is running."""
        return self._server is not None and self._server.alive()

    def reload(self) -> None:
        """Do nothing, because Valkey doesn't run the site's code."""

    def stop(self) -> None:
        """Stop the server. It first writes all its data to disk."""
        if self._server is not None:
            self._server.stop()


class Process:
    """A process in its own process group, so that Ctrl-C in a terminal doesn't reach it.

    `reloads` says whether the process loads new code on SIGHUP. If not, `reload` restarts the
    process.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        fds: Sequence[int] = (),
        reloads: bool = False,
    ) -> None:
        self.name = name
        self._command = command
        self._cwd = cwd
        self._env = env
        self._fds = fds
        self._reloads = reloads
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            cwd=self._cwd,
            env=self._env,
            pass_fds=self._fds,
            stdin=subprocess.DEVNULL,
            process_group=0,
        )

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def reload(self) -> None:
        if not self._reloads:
            self.stop()
            self.start()
        elif self._process is not None:
            self._process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """Stop the process. If it takes too long to end, kill its process group."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
