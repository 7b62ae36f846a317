"""The supervisor of `up` restarts child processes that die, and kills children that don't stop."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management.base import OutputWrapper

from forum.operations.supervision.children import Process
from forum.operations.supervision.supervisor import LONGEST_PAUSE, Restarter, write_line


class Flimsy:
    """A fake child process that dies as soon as it is started."""

    name = "Flimsy"
    starts = 0

    def start(self) -> None:
        self.starts += 1

    def alive(self) -> bool:
        return False

    def reload(self) -> None: ...

    def stop(self) -> None: ...


def test_child_that_dies_at_once_is_restarted_with_longer_and_longer_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    child, lines = Flimsy(), list[str]()
    restarter = Restarter(child, lines.append)
    starts = []
    for _ in range(1_000):
        before = child.starts
        restarter.check()
        if child.starts > before:
            starts.append(now)
        now += 0.2
    pauses = [later - sooner for sooner, later in pairwise(starts)]
    assert pauses[0] < 1
    assert LONGEST_PAUSE <= max(pauses) < LONGEST_PAUSE + 1
    assert 8 < len(starts) < 16
    assert lines[0] == "Flimsy has ended unexpectedly and is restarted."


def closed_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def full_disk() -> int:
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.parametrize(
    "output",
    [
        closed_pipe,
        pytest.param(full_disk, marks=pytest.mark.skipif(sys.platform != "linux", reason="Linux")),
    ],
)
def test_child_is_restarted_even_if_nothing_can_be_printed(output: Callable[[], int]) -> None:
    """Printing fails if the terminal was closed or the disk is full."""
    child, into = Flimsy(), output()
    with suppress(OSError), os.fdopen(into, "w") as nowhere:
        restarter = Restarter(child, partial(write_line, OutputWrapper(nowhere)))
        give_up_at = time.monotonic() + 10
        while not child.starts and time.monotonic() < give_up_at:
            restarter.check()
    assert child.starts == 1


def test_child_that_ignores_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forum.operations.supervision.children.STOP_SECONDS", 0.2)
    ready = tmp_path / "ready"
    deaf = (
        "import pathlib, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"pathlib.Path({str(ready)!r}).touch(); signal.pause()"
    )
    child = Process("deaf", [sys.executable, "-c", deaf], cwd=tmp_path, env=os.environ)
    child.start()
    while not ready.exists():
        pass
    assert child.alive()
    child.stop()
    assert not child.alive()
