"""Ports for the servers that tests start."""

import os
import socket
from contextlib import suppress

PORTS = range(20_000, 32_000)
"""Below those that a machine gives to whoever connects: nobody is given one of these meanwhile."""
STEP = 101
"""How far apart the workers of a run begin to look: more than one of them needs."""

_looked_at = os.getpid() * STEP


def free_port() -> int:
    """Return a port on which nobody listens, another one each time. Raises OSError without any."""
    global _looked_at  # noqa: PLW0603
    for _ in PORTS:
        _looked_at += 1
        port = PORTS[_looked_at % len(PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError(f"no port is free from {PORTS.start} to {PORTS.stop - 1}")
