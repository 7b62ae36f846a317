"""A worker that is told to stop before it has begun."""

import os
from contextlib import suppress
from pathlib import Path

from tests.start.test_up import Site, eventually

PATIENCE = 60
"""Seconds of a test for what takes a second or two, or else for ever."""


def test_a_worker_that_is_stopped_before_it_works_ends_as_one_that_works(tmp_path: Path) -> None:
    """It waits for its secret key here, which is a pipe that nobody writes to."""
    own = Site(tmp_path)
    key = own.data / "secret-key"
    os.mkfifo(key)
    worker = own.command("worker")
    waits: list[int] = []

    def reads() -> bool:
        with suppress(OSError):
            waits.append(os.open(key, os.O_WRONLY | os.O_NONBLOCK))
        return bool(waits)

    eventually(reads, "it reads its settings")
    worker.terminate()
    os.close(waits[0])  # what came just before it began to read is heeded when it has read
    assert worker.wait(timeout=PATIENCE) == 0
