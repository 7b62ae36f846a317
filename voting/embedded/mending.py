"""Going on without what is damaged in the embedded server's files, when a person has said so."""

from pathlib import Path

from voting.embedded import appendonly
from voting.embedded.engine import binary
from voting.embedded.sealing import verify
from voting.embedded.valkey import start
from voting.errors import EmbeddedError

ATTEMPTS = 3
"""How often a start is tried without what is damaged; in the end the server is empty."""


def accept_loss(directory: Path) -> str | None:
    """Make the files in `directory` readable, the damaged ones put aside; say what was done.

    None where nothing is damaged. What was lost must then be brought back from the archive.
    Raises EmbeddedError where a server does not start for another reason.
    """
    aside: Path | None = None
    if verify(directory):
        aside = appendonly.put_aside(directory)
        appendonly.unseal(directory)
    for _ in range(ATTEMPTS):
        try:
            start(directory).stop()
        except EmbeddedError:
            damage = appendonly.examine(directory, binary())
            if damage is None:
                raise
            aside = aside or appendonly.put_aside(directory)
            appendonly.cut(directory, damage)
        else:
            break
    if aside is None:
        return None
    return f"What could not be read is dropped; the damaged files are in {aside}."
