"""Creates, copies and repairs the append-only files (AOF) of the embedded server.

The server writes every change to these files. A power cut may damage a file. The server doesn't
start with a damaged file, so that operators notice the loss of votes. Killing the server 114 times
in a test damaged no file.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from time import strftime

FOLDER, MANIFEST, BASE = "appendonlydir", "appendonly.aof.manifest", "appendonly.aof.1.base.rdb"
COMMANDS = "*.incr.aof"
"""The name pattern of append-only files that contain commands."""
DAMAGE = re.compile("append only file|AOF|RDB")
"""Matches a log line of a server that could not read its append-only files."""


def create_from_snapshot(directory: Path, snapshot: Path) -> None:
    """Create append-only files from `snapshot`, so that a new server starts with that data."""
    folder = directory / FOLDER
    folder.mkdir(mode=0o700, parents=True)
    shutil.copy(snapshot, folder / BASE)
    (folder / MANIFEST).write_text(f"file {BASE} seq 1 type b\n")


def command_files(directory: Path) -> list[Path]:
    """Return the append-only files that contain commands, oldest first."""
    return sorted(
        (directory / FOLDER).glob(COMMANDS), key=lambda file: int(file.name.split(".")[2])
    )


def copy_aside(directory: Path) -> Path:
    """Copy the append-only files to a new folder in `directory`; return the new folder."""
    aside = directory / f"damaged-{strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    shutil.copytree(directory / FOLDER, aside)
    return aside


def truncate_at_damage(directory: Path, program: Path) -> None:
    """Remove everything after the last complete command from the newest append-only file."""
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
    """Delete the append-only files, so that the next server starts empty."""
    shutil.rmtree(directory / FOLDER)
