"""Finds ports for the servers that tests start."""

import os
import socket
from contextlib import suppress

PORTS = range(20_000, 32_000)
"""Ports that tests may use. The system doesn't assign these ports to clients."""
STEP = 101
"""Processes with successive ids start their search for ports this far apart."""

_looked_at = os.getpid() * STEP


def free_port() -> int:
    """Return a free port, a different port each time. Raises OSError if no port is free."""
    global _looked_at  # noqa: PLW0603
    for _ in PORTS:
        _looked_at += 1
        port = PORTS[_looked_at % len(PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError(f"no port is free from {PORTS.start} to {PORTS.stop - 1}")
