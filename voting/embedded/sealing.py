"""What the embedded server's journals were when they were written, so that a change is found.

The server checks the form of its journals when it starts; it can't see a byte that was changed
within a value, or that whole commands are missing at the end. So while it writes, the digest of
each journal's beginning is kept beside it, and compared before the next start.
"""

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from voting.embedded import appendonly

SEAL = re.compile(r"[0-9a-f]{64} \d+ \S+")
PIECE = 1 << 20
STEP = 64 << 20
"""Bytes taken in at a time at most, so that whoever seals has time for other things."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A journal that is no more what was written."""

    file: Path
    sealed: int
    """Bytes of its beginning that were known."""

    def __str__(self) -> str:
        return (
            f"The votes on disk are damaged: the first {self.sealed} bytes of {self.file} are not "
            f"what was written there. {appendonly.ADVICE}"
        )


@dataclass(slots=True)
class _Journal:
    """A journal as far as it was taken in."""

    file: Path
    digest: Any = field(default_factory=sha256)
    taken: int = 0
    size: int = 0

    def take_in(self, *, ended: bool) -> None:
        """Take in a step of what was there at the last call, or all where the server has ended.

        What is younger may be the half of a command, which a full disk makes the server take back.
        """
        before, self.size = self.size, self.file.stat().st_size
        self.read_up_to(self.size if ended else min(before, self.taken + STEP))

    def read_up_to(self, end: int) -> None:
        """Take in what there is before `end`."""
        with self.file.open("rb") as content:
            content.seek(self.taken)
            while piece := content.read(min(PIECE, max(end - self.taken, 0))):
                self.digest.update(piece)
                self.taken += len(piece)

    def __str__(self) -> str:
        return f"{self.digest.hexdigest()} {self.taken} {self.file.name}\n"


class Sealer:
    """Keeps the digests of a directory's journals; reads only what was added since."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._journals: dict[str, _Journal] = {}
        self._written = ""

    def seal(self, *, ended: bool = False) -> None:
        """Bring the digests up to date. A journal that a rewrite has just replaced is left out."""
        known, self._journals = self._journals, {}
        for file in sorted((self._directory / appendonly.FOLDER).glob(appendonly.JOURNALS)):
            journal = known.get(file.name) or _Journal(file)
            with suppress(FileNotFoundError):
                journal.take_in(ended=ended)
                self._journals[file.name] = journal
        text = "".join(map(str, self._journals.values()))
        if text != self._written:
            fresh = self._directory / f"{appendonly.SEALS}.{os.getpid()}"
            fresh.write_text(text)
            fresh.replace(self._directory / appendonly.SEALS)
            self._written = text


def verify(directory: Path) -> Changed | None:
    """Return a journal that was changed since it was sealed. Reads all of them once.

    A line that a power cut left unwritten tells nothing.
    """
    try:
        lines = (directory / appendonly.SEALS).read_text().splitlines()
    except FileNotFoundError:
        return None
    for line in filter(SEAL.fullmatch, lines):
        digest, taken, name = line.split(" ", 2)
        file = directory / appendonly.FOLDER / name
        if file.exists() and _digest(file, int(taken)) != digest:
            return Changed(file, int(taken))
    return None


def _digest(file: Path, length: int) -> str:
    """Return the digest of a file's beginning; of all of it where it is shorter."""
    journal = _Journal(file)
    journal.read_up_to(length)
    return str(journal.digest.hexdigest())
