"""The files by which the web processes of one machine count together.

Gunicorn's settings import this and so it must not import the metrics library: that one reads
PROMETHEUS_MULTIPROC_DIR when it is first imported, and belongs to the processes that serve.
"""

import os
from pathlib import Path

PLACE = "PROMETHEUS_MULTIPROC_DIR"


def announce(data: Path) -> None:
    """Have the processes that start from here on count in files under `data`."""
    os.environ.setdefault(PLACE, str(data / "metrics"))


def begin() -> None:
    """Count from nothing: drop the files of the processes before."""
    place = Path(os.environ[PLACE])
    place.mkdir(parents=True, exist_ok=True)
    for file in place.glob("*.db"):
        file.unlink(missing_ok=True)


def forget(pid: int) -> None:
    """Drop the state of a process that is gone (what it counted stays), as the library's
    `mark_process_dead` does.
    """
    for file in Path(os.environ[PLACE]).glob(f"gauge_live*_{pid}.db"):
        file.unlink(missing_ok=True)


def is_shared() -> bool:
    """Say whether this process counts together with others."""
    return PLACE in os.environ
