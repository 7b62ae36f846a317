"""The path and the URL of the socket through which processes reach the embedded server."""

import os
import stat
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from voting.errors import EmbeddedError

LONGEST = 103
"""Maximum length of a socket path in bytes on macOS. Linux allows 107."""


def socket_path(directory: Path) -> Path:
    """Return the path of the server's socket, which is normally in the data directory.

    If that path is too long, the socket is in `/tmp/rostra-UID` instead (UID is the user's id).
    """
    real = Path(os.path.realpath(directory))
    beside = real / "valkey.sock"
    if len(os.fsencode(beside)) <= LONGEST:
        return beside
    digest = blake2b(os.fsencode(real), digest_size=12).hexdigest()
    return Path(f"/tmp/rostra-{os.geteuid()}") / f"{digest}.sock"  # noqa: S108 - checked when made


def socket_url(directory: Path, database: int) -> str:
    """Return the URL of a database (0 or 1) on the server whose data is in `directory`."""
    return f"unix://{quote(str(socket_path(directory)))}?db={database}"


def create_socket_directory(directory: Path) -> None:
    """Create the directory for the server's socket, unless the socket is in the data directory.

    Raises EmbeddedError if other users own the socket's directory or have access to it.
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
