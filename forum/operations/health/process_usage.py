"""How much memory and CPU time the site's processes use."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from prometheus_client import ProcessCollector


class Usage(NamedTuple):
    """The memory and CPU time of a process."""

    resident_bytes: float
    cpu_seconds: float
    """CPU time since the start of the process."""


def name_of(pid: int) -> str:
    """Return a name for a process on this machine, which no process on another machine has."""
    return f"{socket.gethostname()}:{pid}"


def of(pid: int) -> Usage | None:
    """Return the usage of a process on this machine; None if it has ended."""
    collector = ProcessCollector(pid=lambda: pid, registry=None)
    samples = {
        sample.name: sample.value for metric in collector.collect() for sample in metric.samples
    }
    try:
        return Usage(samples["process_resident_memory_bytes"], samples["process_cpu_seconds_total"])
    except KeyError:
        return None


def of_web_processes() -> Iterator[tuple[str, Usage]]:
    """Yield the name and the usage of each web process on this machine."""
    for pid in _web_pids():
        usage = of(pid)
        if usage is not None:
            yield name_of(pid), usage


def _web_pids() -> list[int]:
    """Return the pids of all web processes that share metrics with this one.

    The web server deletes the live gauges of a web process that ends.
    """
    shared = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if shared is None:
        return [os.getpid()]
    return sorted(int(file.stem.rpartition("_")[2]) for file in Path(shared).glob("gauge_live*.db"))
