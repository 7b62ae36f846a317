"""Recovery from a damaged append-only file, after a person has accepted the loss."""

from pathlib import Path

from voting.embedded import aof
from voting.embedded.engine import binary
from voting.embedded.valkey import start
from voting.errors import DamagedFilesError


def accept_loss(directory: Path) -> Path | None:
    """Make the files in `directory` readable and return where the damaged ones were copied.

    Return None if nothing is damaged. Keep what comes before the damage if the server can read it,
    else nothing: the caller then reloads the rest from the database.
    Raises EmbeddedError if the server doesn't start for another reason.
    """
    if _is_readable(directory):
        return None
    aside = aof.copy_aside(directory)
    aof.truncate_at_damage(directory, binary())
    if not _is_readable(directory):
        aof.remove(directory)
    return aside


def _is_readable(directory: Path) -> bool:
    """Return whether a server can start with the files, by starting it and stopping it again."""
    try:
        start(directory).stop()
    except DamagedFilesError:
        return False
    return True
