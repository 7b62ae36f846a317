"""Room on disk for what is acknowledged: taken beforehand, and watched.

The embedded server learns that a disk is full only by a write that fails, and acknowledges what
that write was of all the same: it keeps it in memory, where a kill loses it. So blocks behind the
end of its file are its own before it needs them, and voting is closed (`flushing`) as soon as the
disk has little room left, while there are still some of them.
"""

import ctypes
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import Any, cast

from voting.embedded.appendonly import journals

RESERVE = 32 << 20
"""Bytes behind the end of the file, and bytes that must be free beside them."""
SHARE = 8
"""Of a small disk, no more than 1 / SHARE is reserved."""
BLOCK = 512
"""Bytes that `st_blocks` counts."""
KEEP_SIZE = 1
"""fallocate's FALLOC_FL_KEEP_SIZE: the file stays as long as it is."""


def keep(directory: Path) -> bool:
    """Reserve room for the file that a server in `directory` writes; False where there is little.

    Where the system can't reserve (it is not Linux, or the disk is far away), it only looks.
    """
    disk = shutil.disk_usage(directory)
    reserve = _wanted(disk.total)
    return _reserve(directory, reserve) and disk.free >= reserve


def little(directory: Path) -> int | None:
    """Return the bytes left on a disk where they are so few that voting is closed, else None."""
    disk = shutil.disk_usage(directory)
    return disk.free if disk.free < _wanted(disk.total) else None


def _wanted(total: int) -> int:
    return min(RESERVE, total // SHARE)


def _reserve(directory: Path, reserve: int) -> bool:
    with suppress(FileNotFoundError, IndexError):
        state = journals(directory)[-1].stat()
        if state.st_blocks * BLOCK - state.st_size < reserve // 2:
            return _taken(journals(directory)[-1], state.st_size, reserve)
    return True


def _taken(file: Path, start: int, length: int) -> bool:
    """Take blocks for a part of a file; False where there are none left."""
    descriptor = os.open(file, os.O_WRONLY)
    try:
        if _fallocate is None or not _fallocate(descriptor, KEEP_SIZE, start, length):
            return True
        return ctypes.get_errno() not in {EDQUOT, ENOSPC}
    finally:
        os.close(descriptor)


def _found() -> Callable[..., int] | None:
    """Return the system's `fallocate`; Python has none that leaves a file's size alone."""
    system = ctypes.CDLL(None, use_errno=True)
    function: Any = getattr(system, "fallocate64", None) or getattr(system, "fallocate", None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    return cast("Callable[..., int] | None", function)


_fallocate = _found()
