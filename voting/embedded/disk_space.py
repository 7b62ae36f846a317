"""Disk space for the data that a site keeps on this machine."""

import shutil
from pathlib import Path

WARN_BELOW = 32 << 20
"""Warn below this many free bytes, or below an eighth of the disk, whichever is less."""


def low_space(directory: Path) -> int | None:
    """Return the free bytes on the disk of `directory` if disk space is low, else None."""
    disk = shutil.disk_usage(directory)
    return disk.free if disk.free < min(WARN_BELOW, disk.total // 8) else None
