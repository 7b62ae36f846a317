"""The files by which the web processes of one machine count together.

Gunicorn's settings import this and so it must not import the metrics library: that one reads
PROMETHEUS_MULTIPROC_DIR when it is first imported, and belongs to the processes that serve.

The library maps the files into memory, and makes them longer without taking room for that. Where
the disk is full, a write to such a place kills the process; so the room is taken before.
"""

import os
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

PLACE = "PROMETHEUS_MULTIPROC_DIR"
MEMORY = "RUNTIME_DIRECTORY"
"""A folder in memory, which systemd gives a unit that asks for one; deploy/Dockerfile names one."""
RESERVED = {"histogram": 4 << 20, "counter": 1 << 16, "gauge_livemax": 1 << 16}
"""The bytes of each of a process's files; a histogram of each view's answers is the most by far."""


def announce(data: Path) -> None:
    """Have the processes that start from here on count in files in memory, or else under `data`."""
    memory = os.environ.get(MEMORY)
    in_memory = f"rostra-{sha256(bytes(data)).hexdigest()[:16]}"
    os.environ.setdefault(PLACE, str(Path(memory) / in_memory if memory else data / "metrics"))


def begin() -> None:
    """Count from nothing: drop the files of the processes before."""
    place = Path(os.environ[PLACE])
    with suppress(OSError):  # no room: every process will notice
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in place.glob("*.db"):
        file.unlink(missing_ok=True)


def reserve(pid: int) -> None:
    """Take the room that this process counts in. Raises OSError where there is none; then it counts
    for itself.
    """
    place = Path(os.environ[PLACE])
    try:
        for kind, size in RESERVED.items():
            with (place / f"{kind}_{pid}.db").open("ab", buffering=0) as file:
                _lengthen(file.fileno(), size)
    except OSError:
        del os.environ[PLACE]
        _give_back(place, pid)
        raise


def forget(pid: int) -> None:
    """Drop the state of a process that is gone (what it counted stays), as the library's
    `mark_process_dead` does, and the room that it did not use.
    """
    place = Path(os.environ[PLACE])
    for file in place.glob(f"gauge_live*_{pid}.db"):
        file.unlink(missing_ok=True)
    _give_back(place, pid)


def is_shared() -> bool:
    """Say whether this process counts together with others."""
    return PLACE in os.environ


def _lengthen(file: int, size: int) -> None:
    """Write zeros up to a size: room that no file system can take back."""
    while (missing := size - os.fstat(file).st_size) > 0:
        os.write(file, bytes(missing))


def _give_back(place: Path, pid: int) -> None:
    """Cut a process's files where what it counted ends; the first number in a file says where."""
    for file in place.glob(f"*_{pid}.db"):
        with suppress(OSError), file.open("r+b") as content:
            used = int.from_bytes(content.read(4), sys.byteorder)
            if used:
                content.truncate(used)
            else:
                file.unlink()
