"""Small disks that tests can fill. Tests without the permission to mount a disk are skipped."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PIECE = 4_096


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path]:
    """Mount an empty disk of `size` bytes at a new folder."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("may not mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path, room: int = 0) -> Path:
    """Fill a disk, except for `room` bytes, with one file, and return the file's path."""
    stuffing = disk / "stuffing"
    with suppress(OSError), stuffing.open("wb", buffering=0) as file:
        while file.write(bytes(PIECE)) == PIECE:
            pass
    with stuffing.open("r+b") as file:
        file.truncate(max(stuffing.stat().st_size - room, 0))
    return stuffing
