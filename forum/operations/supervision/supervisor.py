"""Keeps the parts of a running site alive, reloads them, and ends them together."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Self

from django.core.management.base import OutputWrapper

from forum.operations.supervision.children import Part
from voting.errors import EmbeddedError

LOOK_SECONDS = 0.2
YOUNG_SECONDS = 10.0
"""A part that dies sooner after its start than this is started again ever more slowly."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0

Say = Callable[[str], None]


def say(output: OutputWrapper, sentence: str) -> None:
    """Say it at once to whoever listens: a site does not end with who reads what it says, nor where
    the disk is full that its log is on.
    """
    with suppress(OSError):
        output.write(sentence)
        output.flush()


class Kept:
    """One part and when to start it again."""

    def __init__(self, part: Part, say: Say) -> None:
        self.part = part
        self._say = say
        self._pause = FIRST_PAUSE
        self._start_at: float | None = None
        self._started_at = time.monotonic()

    def look(self) -> None:
        """Start the part again where it has died and its pause is over."""
        if self.part.alive():
            return
        now = time.monotonic()
        if self._start_at is None:
            young = now - self._started_at < YOUNG_SECONDS
            self._pause = min(self._pause * 2, LONGEST_PAUSE) if young else FIRST_PAUSE
            self._start_at = now + self._pause
            self._say(f"{self.part.name} ended by itself: starting it again.")
        if now >= self._start_at:
            self._start_at = None
            self._started_at = now
            self._attempt(self.part.start)

    def reload(self) -> None:
        """Have the part go on with the code there is now."""
        self._start_at = None
        self._attempt(self.part.reload)

    def _attempt(self, step: Callable[[], None]) -> None:
        try:
            step()
        except (EmbeddedError, OSError) as error:
            self._say(str(error))


class Supervisor:
    """Runs parts until Ctrl-C, SIGTERM or a closed terminal, then stops them, the last first.

    SIGHUP reloads them where there is no terminal that could have sent it by closing. A context
    manager: whatever ends the block, the parts are stopped.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._kept: list[Kept] = []
        self._reload = False

    def __enter__(self) -> Self:
        signal.signal(signal.SIGINT, _interrupt)
        signal.signal(signal.SIGTERM, _interrupt)
        if not os.isatty(0):
            signal.signal(signal.SIGHUP, self._ask_to_reload)
        elif signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, _interrupt)
        return self

    def add(self, part: Part) -> None:
        """Start a part and keep it alive from now on. Raises EmbeddedError, OSError."""
        self._kept.append(Kept(part, self._say))
        part.start()

    def watch(self, moved: Callable[[], str | None]) -> None:
        """Look after the parts until a signal ends the block, or the site has `moved` away, which
        is said.
        """
        while not (sentence := moved()):
            if self._reload:
                self._reload = False
                self._say("Reloading.")
                for kept in self._kept:
                    kept.reload()
            for kept in self._kept:
                kept.look()
            time.sleep(LOOK_SECONDS)
        self._say(sentence)

    def _ask_to_reload(self, _number: int, _frame: FrameType | None) -> None:
        self._reload = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for kept in reversed(self._kept):
            kept.part.stop()
        return kind is KeyboardInterrupt


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
