"""Stops a child process of `up` when `up` has ended, even if `up` was killed."""

import os
import signal
import time
from threading import Thread

PARENT = "FORUM_UP_PID"
"""The environment variable with the process id of `up`. Only children of `up` have it."""


def stop_with_parent() -> None:
    """Start a thread that sends SIGTERM to this process when its parent `up` has ended."""
    parent = os.environ.get(PARENT)
    if parent:
        Thread(target=_watch, args=(int(parent),), daemon=True, name="parent-watch").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
