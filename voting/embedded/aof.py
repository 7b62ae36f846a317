"""The append-only file (AOF) of the embedded server: create, copy and repair it.

The server refuses a file that it can't read to the end, so that votes are never dropped silently.
The one exception is an incomplete last command after the server was killed: the server answers a
command after it has handed it to the system, so nobody was told that this one counts.
"""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from time import strftime

FOLDER, MANIFEST, BASE = "appendonlydir", "appendonly.aof.manifest", "appendonly.aof.1.base.rdb"
COMMANDS = "*.incr.aof"
"""The files of commands that came after the snapshot with which the server began."""
BOOT = "boot"
"""A file with the id of the machine's run in which the server was last started."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
DAMAGE = re.compile("append only file|AOF|RDB")
"""What the server's last log line contains if it could not read these files."""


def create_from_snapshot(directory: Path, snapshot: Path) -> None:
    """Create the files of a server that has never run, so that it starts with a snapshot."""
    folder = directory / FOLDER
    folder.mkdir(mode=0o700, parents=True)
    shutil.copy(snapshot, folder / BASE)
    (folder / MANIFEST).write_text(f"file {BASE} seq 1 type b\n")


def command_files(directory: Path) -> list[Path]:
    """Return the files of commands, oldest first."""
    return sorted(
        (directory / FOLDER).glob(COMMANDS), key=lambda file: int(file.name.split(".")[2])
    )


def remember_boot(directory: Path) -> None:
    """Record in which run of the machine the server was started."""
    (directory / BOOT).write_text(_boot_id())


def is_same_boot(directory: Path) -> bool:
    """Return whether the machine has not restarted since the server was last started."""
    with suppress(FileNotFoundError):
        return (directory / BOOT).read_text() == _boot_id() != ""
    return False


def _boot_id() -> str:
    """Return the id of this run of the machine, or "" if the system has none (macOS)."""
    return BOOT_ID.read_text().strip() if BOOT_ID.exists() else ""


def copy_aside(directory: Path) -> Path:
    """Copy the files to a new folder beside them and return it."""
    aside = directory / f"damaged-{strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    shutil.copytree(directory / FOLDER, aside)
    return aside


def truncate_at_damage(directory: Path, program: Path) -> None:
    """Cut the last file of commands after the last complete command, with valkey-check-aof."""
    for file in command_files(directory)[-1:]:
        subprocess.run(
            ["valkey-check-aof", "--fix", file.name],  # noqa: S607 - the server's other name
            executable=program,
            cwd=file.parent,
            input=b"y\n",
            capture_output=True,
            check=False,
        )


def remove(directory: Path) -> None:
    """Remove the files; the next server starts empty."""
    shutil.rmtree(directory / FOLDER)
