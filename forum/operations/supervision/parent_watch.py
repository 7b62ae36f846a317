"""Ties a process that `up` started to it, so that none outlives an `up` that was killed."""

import os
import signal
import time
from threading import Thread

HOLDER = "FORUM_UP_PID"
"""Names the process that looks after this one; unset where somebody started it by hand."""


def hold() -> None:
    """From now on end this process, as SIGTERM does, when the `up` that started it is gone."""
    holder = os.environ.get(HOLDER)
    if holder:
        Thread(target=_follow, args=(int(holder),), daemon=True, name="leash").start()


def _follow(holder: int) -> None:
    while os.getppid() == holder:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
