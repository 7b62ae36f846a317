"""Disk space for the data that a site keeps on this machine."""

import shutil
from pathlib import Path

WARN_BELOW = 32 << 20
"""Free bytes below which to warn; on a small disk, an eighth of the disk if that is less."""


def low_space(directory: Path) -> int | None:
    """Return the free bytes of the disk with `directory` if they are too few, else None."""
    disk = shutil.disk_usage(directory)
    return disk.free if disk.free < min(WARN_BELOW, disk.total // 8) else None
