"""What one running site has to itself: its data, and the port it listens on."""

import fcntl
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import CommandError

LEAVING_SECONDS = 3.0
"""How long the processes of a killed `up` may take to leave the port."""


@contextmanager
def claimed(data: Path) -> Iterator[None]:
    """Have `data` to oneself. Raises CommandError where another `up` or `services` has it."""
    data.mkdir(parents=True, exist_ok=True)
    with (data / "up.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(f"Rostra runs already on the data in {data}.") from error
        yield


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises CommandError where the address can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    give_up_at = time.monotonic() + LEAVING_SECONDS
    while True:
        try:
            return socket.create_server((host, port), family=family, backlog=2048)
        except OSError as error:
            if time.monotonic() > give_up_at or isinstance(error, socket.gaierror):
                raise CommandError(
                    f"Can't listen on {host} port {port} ({error.strerror}): "
                    "give another PORT or HOST, or end what uses it."
                ) from error
        time.sleep(0.1)
