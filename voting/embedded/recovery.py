"""Recovery from a damaged append-only file, after a person has accepted the loss of data."""

from pathlib import Path

from voting.embedded import aof
from voting.embedded.engine import binary
from voting.embedded.valkey import start
from voting.errors import DamagedFilesError


def accept_loss(directory: Path) -> Path | None:
    """Repair the append-only files in `directory`; return the folder with copies of the damaged
    files.

    Return None if no file is damaged. The data before the damage is kept if the server can read
    that data; otherwise nothing is kept. The caller then reloads the missing data from the
    database. Raises EmbeddedError if the server doesn't start for another reason.
    """
    if _is_readable(directory):
        return None
    aside = aof.copy_aside(directory)
    aof.truncate_at_damage(directory, binary())
    if not _is_readable(directory):
        aof.remove(directory)
    return aside


def _is_readable(directory: Path) -> bool:
    """Start and stop a server in `directory`; return whether the server could read its files."""
    try:
        start(directory).stop()
    except DamagedFilesError:
        return False
    return True
