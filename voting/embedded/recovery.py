"""Repairs damaged append-only files after a person has agreed to lose the unreadable data."""

from pathlib import Path

from voting.embedded import aof
from voting.embedded.engine import binary
from voting.embedded.valkey import start
from voting.errors import DamagedFilesError


def accept_loss(directory: Path) -> Path | None:
    """Repair append-only files in `directory`; return a folder with copies of the damaged files.

    Returns None if no file is damaged. All data after the damage is lost. If the repair fails, all
    append-only files are deleted. The caller must load the lost data from SQL. Raises EmbeddedError
    if the server can't start for a reason other than damaged files.
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
