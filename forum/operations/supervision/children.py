"""The parts of a running site: what can start, tell whether it lives, and stop."""

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
"""How long a child may take to end before it is killed."""


class Part(Protocol):
    """What the supervisor looks after."""

    name: str

    def start(self) -> None:
        """Start. Raises EmbeddedError or OSError where that fails."""

    def alive(self) -> bool:
        """Tell whether it runs."""

    def reload(self) -> None:
        """Go on with the code and settings there are now; where that fails, it is not alive."""

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
        """Start it, or adopt the one that runs. Raises EmbeddedError.

        One that we had and can't reach any more has to end first.
        """
        if self._server is not None:
            self._server.stop()
        self._server = start(self._directory, self._fsync)

    def is_running(self) -> bool:
        """Return whether a server runs with the directory, no matter who started it."""
        return is_locked(self._directory)

    def create_from_snapshot(self, snapshot: Path) -> None:
        """Before the first start: create its files from a snapshot."""
        create_from_snapshot(self._directory, snapshot)

    def accept_loss(self) -> Path | None:
        """Before the start: drop what is damaged of its files. Return where copies of them are."""
        return accept_loss(self._directory)

    def alive(self) -> bool:
        """Tell whether it runs."""
        return self._server is not None and self._server.alive()

    def reload(self) -> None:
        """Go on: it has no code of ours."""

    def stop(self) -> None:
        """End it; everything is on disk then."""
        if self._server is not None:
            self._server.stop()


class Child:
    """A process of its own group, so that the terminal's Ctrl-C reaches only its parent.

    `reloads` says that it reloads by itself on SIGHUP; any other is started anew.
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

    def reload(self) -> None:
        """Go on with the code there is now. Raises OSError where it can't be started anew."""
        if not self._reloads:
            self.stop()
            self.start()
        elif self._process is not None:
            self._process.send_signal(signal.SIGHUP)

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
