"""Locks on a site's data and port, so that only one command at a time uses them."""

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

LISTEN_SECONDS = 3.0
"""How many seconds to wait until a killed `up` has released the port."""

LOCK = "up.lock"
UP, SERVICES, RESTORE, IMPORT = "up", "services", "restore", "import_export"
"""The names that commands write into the lock file."""


@contextmanager
def claimed(data: Path, by: str = "") -> Iterator[None]:
    """Lock the site's data for the command `by` until the block ends.

    The commands are `up`, `services`, `restore` and `import_export`. Raises CommandError if one
    of them has already locked the data.
    """
    with _locked(data / LOCK, partial(_refusal, data)) as lock:
        lock.truncate(0)
        lock.write(by)
        lock.flush()
        yield


def _refusal(data: Path) -> str:
    """Return a sentence that names the command that has locked the site's data."""
    by = (data / LOCK).read_text()
    if by in {RESTORE, IMPORT}:
        return f"`manage.py {by}` is using the data in {data}: wait until it has finished."
    if by == SERVICES:
        return f"`manage.py services` is using the data in {data}: stop it (Ctrl-C) first."
    return f"Rostra is already running with the data in {data}."


@contextmanager
def _locked(file: Path, refusal: Callable[[], str]) -> Iterator[TextIO]:
    """Lock a file until the block ends.

    If another process has locked the file, raises CommandError with the text that `refusal`
    returns.
    """
    with writing(file.parent):
        lock = file.open("a")  # append mode keeps the name that the lock's holder wrote
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(refusal()) from error
        yield lock


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises CommandError if the host or port can't be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    dualstack = host == "::" and socket.has_dualstack_ipv6()  # then the socket also listens on IPv4
    deadline = time.monotonic() + LISTEN_SECONDS
    while True:
        try:
            return socket.create_server(
                (host, port), family=family, backlog=2048, dualstack_ipv6=dualstack
            )
        except OSError as error:
            if time.monotonic() > deadline or isinstance(error, socket.gaierror):
                raise CommandError(
                    f"Can't listen on {host} port {port} ({error.strerror}): "
                    "use another PORT or HOST, or stop the program that uses it."
                ) from error
        time.sleep(0.1)
