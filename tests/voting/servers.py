"""Servers that a test can suspend, kill, fill or make read-only. Only one test uses each server."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from redis import Redis

from tests.voting.sites import PATIENT, site_at
from tests.waiting import until
from voting.embedded import valkey
from voting.embedded.sockets import socket_path
from voting.service import VotingService, connect
from voting.types import Rules


@dataclass
class Server:
    """An embedded server in its own directory."""

    directory: Path
    running: valkey.Embedded
    fsync: str

    @property
    def url(self) -> str:
        return self.running.url

    def plain(self) -> Redis:
        """Return a plain redis-py client of the server."""
        return Redis(
            unix_socket_path=str(socket_path(self.directory)),
            decode_responses=True,
            socket_timeout=PATIENT,
        )

    def opened(self) -> VotingService:
        """Make the empty server ready for posts, and return a site on this server."""
        site = site_at(self.url)
        site.maintenance.generations.open()
        return site

    def hurried(self) -> VotingService:
        """Return a site on this server that uses the short Redis timeout of pages."""
        return connect(self.url, Rules())

    def asked_again(self) -> VotingService:
        """Wait until the server gets requests again after an outage; return a site that uses it."""
        site = site_at(self.url)
        until(site.maintenance.generations.current, "the server is asked again")
        return site

    def kill(self) -> None:
        os.kill(self.running.pid, signal.SIGKILL)
        until(lambda: not self.running.alive(), "the killed server ends")

    def start(self) -> None:
        """Start the server again with the data in its directory."""
        self.running = valkey.start(self.directory, self.fsync)

    @contextmanager
    def hung(self) -> Iterator[None]:
        """Suspend the server until the `with` block ends."""
        stand_still(self.running.pid)
        try:
            yield
        finally:
            os.kill(self.running.pid, signal.SIGCONT)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Fill the server's memory until the `with` block ends."""
        with self.plain() as plain:
            plain.config_set("maxmemory", "1mb")
            try:
                yield
            finally:
                plain.config_set("maxmemory", "0")

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Make the server a read-only replica until the `with` block ends."""
        with self.plain() as plain:
            plain.execute_command("REPLICAOF", "127.0.0.1", "1")
            try:
                yield
            finally:
                plain.execute_command("REPLICAOF", "NO", "ONE")

    @contextmanager
    def without_replicas(self) -> Iterator[None]:
        """In the `with` block, make the server refuse writes because it has too few replicas."""
        with self.plain() as plain:
            plain.config_set("min-replicas-to-write", 1)
            try:
                yield
            finally:
                plain.config_set("min-replicas-to-write", 0)


@contextmanager
def own_server(place: Path, fsync: str = "everysec") -> Iterator[Server]:
    """Run a server in a directory until the `with` block ends."""
    directory = place / "valkey"
    own = Server(directory, valkey.start(directory, fsync), fsync)
    try:
        yield own
    finally:
        own.running.stop()


def stand_still(pid: int) -> None:
    """Suspend a server that this process started, and wait until the server is suspended."""
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)
