"""The socket through which processes reach the embedded server, and the URL of that socket.

Only `create_socket_directory` touches the disk.
"""

import os
import stat
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from voting.errors import EmbeddedError

LONGEST = 103
"""Maximum length (bytes) of a socket path that works everywhere (macOS: 103, Linux: 107)."""


def socket_path(directory: Path) -> Path:
    """Return the socket path of the server that has its data in `directory`.

    The socket is in `directory`. If that path is too long, the socket is instead in a directory of
    the same user with a short path, and the socket's name is derived from `directory`.
    """
    real = Path(os.path.realpath(directory))
    beside = real / "valkey.sock"
    if len(os.fsencode(beside)) <= LONGEST:
        return beside
    digest = blake2b(os.fsencode(real), digest_size=12).hexdigest()
    return Path(f"/tmp/rostra-{os.geteuid()}") / f"{digest}.sock"  # noqa: S108 - checked when made


def socket_url(directory: Path, database: int) -> str:
    """Return the URL of a database (0 or 1) of the server with its data in `directory`."""
    return f"unix://{quote(str(socket_path(directory)))}?db={database}"


def create_socket_directory(directory: Path) -> None:
    """Create the directory with a short path, if the socket's path in the data directory is too
    long.

    Raises EmbeddedError if that directory exists and other users own it or can read it.
    """
    place = socket_path(directory).parent
    if place == Path(os.path.realpath(directory)):
        return
    place.mkdir(mode=0o700, exist_ok=True)
    state = place.lstat()
    private = stat.S_ISDIR(state.st_mode) and not stat.S_IMODE(state.st_mode) & 0o077
    if not private or state.st_uid != os.geteuid():
        raise EmbeddedError(
            f"{place} belongs to another user or is open to others: remove it, or shorten "
            "FORUM_DATA."
        )
