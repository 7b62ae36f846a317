"""Starts the child processes of `up`, restarts those that die, reloads and stops them."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import NoReturn, Self

from django.core.management.base import OutputWrapper

from forum.operations.supervision import stop_signals
from forum.operations.supervision.children import Child
from voting.errors import EmbeddedError

CHECK_SECONDS = 0.2
STABLE_SECONDS = 10.0
"""If a child dies within this many seconds of its start, the pause before its restart doubles."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0

Report = Callable[[str], None]


def write_line(output: OutputWrapper, line: str) -> None:
    """Write a line. Ignore a closed pipe or a full disk, so that the site keeps running."""
    with suppress(OSError):
        output.write(line)
        output.flush()


class Restarter:
    """Restarts a child process when it dies."""

    def __init__(self, child: Child, report: Report) -> None:
        self.child = child
        self._report = report
        self._pause = FIRST_PAUSE
        self._start_at: float | None = None
        self._started_at = time.monotonic()

    def check(self) -> None:
        """If the child is dead, restart it after a pause."""
        if self.child.alive():
            return
        now = time.monotonic()
        if self._start_at is None:
            stable = now - self._started_at >= STABLE_SECONDS
            self._pause = FIRST_PAUSE if stable else min(self._pause * 2, LONGEST_PAUSE)
            self._start_at = now + self._pause
            self._report(f"{self.child.name} has ended unexpectedly and is restarted.")
        if now >= self._start_at:
            self._start_at = None
            self._started_at = now
            self._reporting_errors(self.child.start)

    def reload(self) -> None:
        self._start_at = None
        self._reporting_errors(self.child.reload)

    def _reporting_errors(self, step: Callable[[], None]) -> None:
        try:
            step()
        except (EmbeddedError, OSError) as error:
            self._report(str(error))


class Supervisor:
    """Runs child processes until a stop signal, then stops them in reverse order.

    Use it as a context manager. The stop signals are SIGINT and SIGTERM, and in a terminal also
    SIGHUP. Without a terminal, SIGHUP reloads the children.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._restarters: list[Restarter] = []
        self._reload = False

    def __enter__(self) -> Self:
        stop_signals.raise_keyboard_interrupt()
        if not os.isatty(0):
            signal.signal(signal.SIGHUP, self._request_reload)
        return self

    def add(self, child: Child) -> None:
        """Start a child, and restart it whenever it dies. Raises EmbeddedError or OSError."""
        self._restarters.append(Restarter(child, self._report))
        child.start()

    def watch(self) -> NoReturn:
        """Watch the children until a stop signal arrives."""
        while True:
            if self._reload:
                self._reload = False
                self._report("Reloading.")
                for restarter in self._restarters:
                    restarter.reload()
            for restarter in self._restarters:
                restarter.check()
            time.sleep(CHECK_SECONDS)

    def _request_reload(self, _number: int, _frame: FrameType | None) -> None:
        self._reload = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        stop_signals.ignore()
        for restarter in reversed(self._restarters):
            restarter.child.stop()
        return kind is KeyboardInterrupt
