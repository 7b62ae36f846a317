"""The embedded server's files: what is damaged in them, and how to go on without that part.

The server is told to refuse a file that it can't read to the end, so that nothing is cut off in
silence. What it can not see itself, `voting.embedded.sealing` finds.
"""

import logging
import os
import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import strftime

FOLDER, MANIFEST, JOURNALS = "appendonlydir", "appendonly.aof.manifest", "*.incr.aof"
BASE = "appendonly.aof.1.base.rdb"
SEALS = "seals"
"""The file with the digests of the files of commands; see `voting.embedded.sealing`."""
MARK = "boot"
"""The file that says in which run of the machine the server was started last."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
ANALYSED = re.compile(r"size=(\d+), ok_up_to=(\d+)")
ADVICE = (
    "Nothing was changed. Bring back a backup (`python3 manage.py restore FOLDER`), or keep what "
    "can be read and take the rest from SQL: `python3 manage.py up --accept-loss` puts the damaged "
    "files aside first."
)
UNFINISHED = "Unexpected end of file"
"""What the server says where only the end of a file is missing."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that can't be read to its end."""

    file: Path
    size: int
    good: int
    """Bytes that can be read; 0 where the whole file is of no use."""
    unfinished: bool
    """Only the end of the last command is missing."""

    def __str__(self) -> str:
        return (
            f"The votes on disk are damaged: {self.file} has {self.size} bytes, and can be read up "
            f"to byte {self.good}. {ADVICE}"
        )


def begin_with(directory: Path, snapshot: Path) -> None:
    """Make the files of a server that has never run: it begins with a snapshot."""
    place = directory / FOLDER
    place.mkdir(mode=0o700, parents=True)
    shutil.copy(snapshot, place / BASE)
    (place / MANIFEST).write_text(f"file {BASE} seq 1 type b\n")


def last_words(directory: Path) -> str:
    """Return what a server said last, and where it says such things."""
    file = directory / "valkey.log"
    lines = file.read_text(errors="replace").strip().splitlines()
    return f"{lines[-1] if lines else 'it said nothing'} ({file})"


def examine(directory: Path, program: Path) -> Damage | None:
    """Return what kept a server from reading its files; None where they are not the reason."""
    words = last_words(directory)
    for file in journals(directory):
        size, good = _analysed(file, program)
        if good < size:
            return Damage(file, size, good, unfinished=UNFINISHED in words)
    for pattern, named in ((MANIFEST, "manifest"), ("*.base.*", "RDB")):
        found = next((directory / FOLDER).glob(pattern), None)
        if found is not None and named in words:
            return Damage(found, found.stat().st_size, 0, unfinished=False)
    return None


def journals(directory: Path) -> list[Path]:
    """Return the files of commands, in the order in which they were written."""
    return sorted((directory / FOLDER).glob(JOURNALS), key=_number)


def _number(file: Path) -> int:
    return int(re.sub(r"\D", "", file.name) or 0)


def _analysed(file: Path, program: Path) -> tuple[int, int]:
    """Return the bytes of a file, and how many of them the server's own checker can read."""
    run = subprocess.run(
        ["valkey-check-aof", file.name],  # noqa: S607 - the program's other name, no path
        executable=program,
        cwd=file.parent,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    found = ANALYSED.search(run.stdout)
    size = file.stat().st_size
    return (int(found[1]), int(found[2])) if found else (size, size if not run.returncode else 0)


def mark(directory: Path) -> None:
    """Note in which run of the machine the server was started."""
    (directory / MARK).write_text(_boot())


def never_acknowledged(directory: Path, damage: Damage) -> bool:
    """Say whether the missing end is of a command that nobody was told of.

    The server answers only after it has handed a command to the system, which keeps it until the
    machine stops: an end that is missing though the machine went on is of a killed server's last,
    unanswered command.
    """
    with suppress(OSError):
        return damage.unfinished and (directory / MARK).read_text() == _boot() != ""
    return False


def _boot() -> str:
    with suppress(OSError):
        return BOOT_ID.read_text().strip()
    return ""


def put_aside(directory: Path) -> Path:
    """Copy the files to a folder of their own and return it."""
    aside = directory / f"damaged-{strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    shutil.copytree(directory / FOLDER, aside)
    return aside


def unseal(directory: Path) -> None:
    """Forget what the files were."""
    (directory / SEALS).unlink(missing_ok=True)


def cut(directory: Path, damage: Damage) -> None:
    """Drop what can't be read: the end of the last file, or else all of them."""
    unseal(directory)
    if damage.good and damage.file == journals(directory)[-1]:
        os.truncate(damage.file, damage.good)
    else:
        shutil.rmtree(directory / FOLDER)
    log.warning("dropped what could not be read of %s", damage.file)
