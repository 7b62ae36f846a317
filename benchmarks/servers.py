"""Start private Valkey servers for measurements; delete them with their data afterwards."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import redis
from redis import Redis

from benchmarks.seeds import Seeds
from voting.embedded import valkey
from voting.embedded.sockets import socket_path
from voting.service import VotingService, connect
from voting.types import Rules

SCRIPTED = ("cmdstat_eval", "cmdstat_evalsha")
PATIENCE = 30.0
"""Seconds to wait for a reply. Commands of the plain site can block the server for a long time."""


@dataclass(frozen=True, slots=True)
class Server:
    """A Redis server with the data of two sites: Rostra, and the plain voting site of `seeds.py`.

    `observer` is a separate connection for measurements.
    """

    service: VotingService
    seeds: Seeds
    observer: Redis

    def cpu(self) -> float:
        """Return the CPU time that the server has used so far, in microseconds."""
        used: dict[str, Any] = self.observer.info("cpu")
        return float(used["used_cpu_user"] + used["used_cpu_sys"]) * 1e6

    def scripts(self) -> float:
        """Return the time that Lua scripts have run on the server so far, in microseconds."""
        known: dict[str, Any] = self.observer.info("commandstats")
        return sum(float(known[name]["usec"]) for name in SCRIPTED if name in known)

    def reads(self) -> int:
        """Return how often the server has read data from clients, including this call's request."""
        return int(self.observer.info("stats")["total_reads_processed"])

    def version(self) -> str:
        """Return the version of the Valkey server."""
        about = self.observer.info("server")
        return str(about.get("valkey_version", about["redis_version"]))


def machine(server: Server) -> str:
    """Return a line about the server and the machine, to print with the results."""
    return (
        f"{cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, Valkey {server.version()}, "
        f"redis-py {redis.__version__}"
    )


@contextmanager
def private_server() -> Iterator[Server]:
    """Start a server in a temporary folder, and stop it after the `with` block.

    The append-only file is on, as on a site, but is never rewritten during a measurement.
    """
    with TemporaryDirectory(prefix="rostra-bench-", ignore_cleanup_errors=True) as place:
        running = valkey.start(Path(place) / "valkey")
        path = str(socket_path(Path(place) / "valkey"))
        try:
            with (
                Redis(unix_socket_path=path, decode_responses=True) as plain,
                Redis(unix_socket_path=path, decode_responses=True) as observer,
            ):
                observer.config_set("auto-aof-rewrite-percentage", 0)
                service = connect(running.url, Rules(), timeout=PATIENCE)
                service.maintenance.generations.open()
                yield Server(service, Seeds(plain), observer)
        finally:
            running.stop()
