"""Finds ports for the servers that tests start."""

import os
import socket
from contextlib import suppress

PORTS = range(20_000, 32_000)
"""Below the ports that the system assigns to clients, so that it assigns none of these."""
STEP = 101
"""Distance between the first ports of a run's workers; more than one worker needs."""

_looked_at = os.getpid() * STEP


def free_port() -> int:
    """Return a free port, a different one each time. Raises OSError if there is none."""
    global _looked_at  # noqa: PLW0603
    for _ in PORTS:
        _looked_at += 1
        port = PORTS[_looked_at % len(PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError(f"no port is free from {PORTS.start} to {PORTS.stop - 1}")
