"""What one running site has to itself: its data, and the port it listens on."""

import fcntl
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

from django.core.management import CommandError

from forum.config.data_directory import writing

LEAVING_SECONDS = 3.0
"""How long the processes of a killed `up` may take to leave the port."""

LOCK, MOVE_LOCK = "up.lock", "move.lock"
SERVICES = "services"
"""What `services` writes into its lock."""
RESTORE, MOVE = "restore", "move_site"
"""What the two commands write that have the data only until they are done."""
UP = "up, which ends once the site has moved"
"""What `up` writes into its lock; nothing else does, and no `up` that does not know the note."""


@contextmanager
def claimed(data: Path, by: str = "") -> Iterator[None]:
    """Have `data` to oneself, as what `by` says. Raises CommandError where another command has it:
    `up`, `services`, `restore` or `move_site`.
    """
    with _locked(data / LOCK, partial(_refusal, data)) as lock:
        lock.truncate(0)
        lock.write(by)
        lock.flush()
        yield


def _refusal(data: Path) -> str:
    """Say what has `data`, as far as it has written that into its lock."""
    by = (data / LOCK).read_text()
    if by in {RESTORE, MOVE}:
        return f"`manage.py {by}` is at work on the data in {data}: wait until it is done."
    if by == SERVICES:
        return f"`manage.py services` has the data in {data}: end it (Ctrl-C), and start again."
    return f"Rostra runs already on the data in {data}."


def is_claimed_by_up(data: Path) -> bool:
    """Say whether who has claimed `data`, or did so last, is an `up` that ends by the note of a
    move.
    """
    return (data / LOCK).read_text() == UP


@contextmanager
def moving(data: Path) -> Iterator[None]:
    """Be the only one that moves the site. Raises CommandError where another does."""
    with _locked(data / MOVE_LOCK, lambda: "Another `move_site` is running on this site."):
        yield


@contextmanager
def _locked(file: Path, refusal: Callable[[], str]) -> Iterator[TextIO]:
    """Hold a lock that ends with this process. Raises CommandError where another has it."""
    with writing(file.parent):
        lock = file.open("a")  # what its holder wrote stays
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(refusal()) from error
        yield lock


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises CommandError where the address can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    everywhere = host == "::" and socket.has_dualstack_ipv6()  # of IPv4 too
    give_up_at = time.monotonic() + LEAVING_SECONDS
    while True:
        try:
            return socket.create_server(
                (host, port), family=family, backlog=2048, dualstack_ipv6=everywhere
            )
        except OSError as error:
            if time.monotonic() > give_up_at or isinstance(error, socket.gaierror):
                raise CommandError(
                    f"Can't listen on {host} port {port} ({error.strerror}): "
                    "give another PORT or HOST, or end what uses it."
                ) from error
        time.sleep(0.1)
