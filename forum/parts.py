"""The parts of a running site: what can start, tell whether it lives, and stop."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from voting.embedded import Embedded, start

STOP_SECONDS = 10.0
"""How long a child may take to end before it is killed."""


class Part(Protocol):
    """What the supervisor looks after."""

    name: str

    def start(self) -> None:
        """Start. Raises EmbeddedError or OSError where that fails."""

    def alive(self) -> bool:
        """Tell whether it runs."""

    def stop(self) -> None:
        """End it and wait until it is gone."""


class Valkey:
    """The embedded server as a part."""

    name = "Valkey"

    def __init__(self, directory: Path, fsync: str) -> None:
        self._directory = directory
        self._fsync = fsync
        self._server: Embedded | None = None

    def start(self) -> None:
        """Start it, or adopt the one that runs. Raises EmbeddedError."""
        if self._server is not None:
            self._server.let_go()
        self._server = start(self._directory, self._fsync)

    def alive(self) -> bool:
        """Tell whether it runs."""
        return self._server is not None and self._server.alive()

    def stop(self) -> None:
        """End it; everything is on disk then."""
        if self._server is not None:
            self._server.stop()


class Child:
    """A process of its own group, so that the terminal's Ctrl-C reaches only its parent."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        fds: Sequence[int] = (),
    ) -> None:
        self.name = name
        self._command = command
        self._cwd = cwd
        self._env = env
        self._fds = fds
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        self._process = subprocess.Popen(
            self._command,
            cwd=self._cwd,
            env=self._env,
            pass_fds=self._fds,
            stdin=subprocess.DEVNULL,
            process_group=0,
        )

    def alive(self) -> bool:
        """Tell whether it runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Ask the process to end, and kill its whole group where it does not."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
