"""Where the embedded server listens. Settings may ask: only `own_directory` touches a file."""

import os
import stat
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from voting.errors import EmbeddedError

LONGEST = 103
"""Bytes of a socket's path that every system takes (macOS 103, Linux 107)."""


def socket_path(directory: Path) -> Path:
    """Return the socket of the server whose data are in `directory`.

    It lies beside the data; where that path is too long for a socket, in a short directory of the
    same user's own, under a name that follows from `directory`. Touches no file.
    """
    real = Path(os.path.realpath(directory))
    beside = real / "valkey.sock"
    if len(os.fsencode(beside)) <= LONGEST:
        return beside
    digest = blake2b(os.fsencode(real), digest_size=12).hexdigest()
    return Path(f"/tmp/rostra-{os.geteuid()}") / f"{digest}.sock"  # noqa: S108 - checked when made


def socket_url(directory: Path, database: int) -> str:
    """Return the address of one `database` (0 or 1) of the server with data in `directory`."""
    return f"unix://{quote(str(socket_path(directory)))}?db={database}"


def own_directory(directory: Path) -> None:
    """Make the short directory of a long path's socket, and refuse one that isn't ours alone.

    Raises EmbeddedError.
    """
    place = socket_path(directory).parent
    if place == Path(os.path.realpath(directory)):
        return
    place.mkdir(mode=0o700, exist_ok=True)
    state = place.lstat()
    private = stat.S_ISDIR(state.st_mode) and not stat.S_IMODE(state.st_mode) & 0o077
    if not private or state.st_uid != os.geteuid():
        raise EmbeddedError(f"{place} belongs to somebody else: remove it, or shorten FORUM_DATA.")
