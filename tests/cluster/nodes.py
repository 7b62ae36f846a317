"""Starts, connects and kills the servers for the tests of clusters and sentinels."""

import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.crc import key_slot
from redis.retry import Retry

from tests.ports import free_port
from tests.waiting import until
from voting.embedded.engine import binary

MASTERS = 3
SLOTS = 16_384
NODE_TIMEOUT_MS = 1_500
"""Milliseconds without a reply after which a cluster treats a server as dead."""
PATIENT_MS = 60_000
"""Milliseconds until a cluster treats a silent server as dead, in tests without failovers.

Even on a busy machine, every server replies sooner.
"""

CONFIG = """\
bind 127.0.0.1
port {port}
dir "{directory}"
save ""
appendonly yes
appendfsync no
maxmemory-policy noeviction
set-max-intset-entries 65536
hash-max-listpack-value 1024
hash-max-listpack-entries 128
lazyfree-lazy-expire yes
repl-diskless-sync-delay 0
repl-ping-replica-period 1
"""
CLUSTERED = """\
cluster-enabled yes
cluster-port {bus}
cluster-require-full-coverage no
cluster-replica-validity-factor 0
"""


@dataclass(frozen=True)
class Tls:
    """A Redis server program that supports TLS, with its TLS settings and certificate files."""

    program: Path
    settings: str
    authority: Path
    certificate: Path
    key: Path

    def options(self) -> dict[str, Any]:
        """Return the TLS options for a redis-py client of a node."""
        return {
            "ssl": True,
            "ssl_ca_certs": str(self.authority),
            "ssl_certfile": str(self.certificate),
            "ssl_keyfile": str(self.key),
        }


@dataclass
class Node:
    """A Redis server that belongs to one test and may be killed."""

    port: int
    directory: Path
    more: str
    arguments: tuple[str, ...] = ()
    tls: Tls | None = None
    process: subprocess.Popen[bytes] | None = None

    @property
    def plain(self) -> Redis:
        """A plain redis-py client of this server, which doesn't retry."""
        secured = self.tls.options() if self.tls else {}
        return Redis(
            host="127.0.0.1",
            port=self.port,
            **secured,
            decode_responses=True,
            socket_timeout=30,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )

    def ask(self, *words: str | int) -> Any:
        with self.plain as plain:
            execute: Any = plain.execute_command
            return execute(*words)

    def start(self) -> None:
        """Start the server with the data on its disk, and wait until it responds."""
        self.directory.mkdir(exist_ok=True)
        config = self.directory / "valkey.conf"
        if not config.exists():
            base = CONFIG.format(port=self.port, directory=self.directory)
            last = f"port 0\ntls-port {self.port}\n{self.tls.settings}" if self.tls else ""
            config.write_text((base if not self.arguments else "") + self.more + last)
        with (self.directory / "log").open("ab") as log:
            program = self.tls.program if self.tls else binary()
            self.process = subprocess.Popen(
                [program, config, *self.arguments], stdout=log, stderr=log
            )
        until(lambda: self.ask("PING"), f"the server at {self.port} answers")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def hang(self) -> None:
        """Suspend the server's process."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Resume the server's process."""
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


def node(
    place: Path, more: str = "", arguments: tuple[str, ...] = (), tls: Tls | None = None
) -> Node:
    """Return a server that has a port and a folder, but isn't started yet."""
    port = free_port()
    more = more.format(port=port, bus=free_port(), directory=place / str(port))
    return Node(port, place / str(port), more, arguments, tls)


@dataclass
class Cluster:
    """A cluster of three masters. `nodes` lists the masters first, then their replicas, if any."""

    nodes: list[Node]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{one.port}" for one in self.nodes)

    @property
    def plain(self) -> Redis:
        """A plain redis-py client of the whole cluster."""
        return plain_client(self.url)

    def alive(self) -> list[Node]:
        return [one for one in self.nodes if one.process and one.process.poll() is None]

    def master_of(self, key: str) -> Node:
        """Return the master that stores a key."""
        for first, last, (_, port, *_), *_ in self.alive()[0].ask("CLUSTER", "SLOTS") or ():
            if first <= key_slot(key.encode()) <= last:
                return next(one for one in self.nodes if one.port == port)
        raise AssertionError(f"nobody holds {key}")

    def build(self) -> None:
        """Join the running servers into a cluster, and wait until the cluster works."""
        masters, replicas = self.nodes[:MASTERS], self.nodes[MASTERS:]
        for number, one in enumerate(self.nodes):
            one.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for number, one in enumerate(masters):
            bounds = [SLOTS * at // MASTERS for at in (number, number + 1)]
            one.ask("CLUSTER", "ADDSLOTSRANGE", bounds[0], bounds[1] - 1)
        for one in self.nodes[1:]:
            bus = one.more.partition("cluster-port ")[2].split()[0]
            self.nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", one.port, bus)
        until(lambda: all(self._known(one) == len(self.nodes) for one in self.nodes), "all meet")
        for master, replica in zip(masters, replicas, strict=False):
            replica.ask("CLUSTER", "REPLICATE", master.ask("CLUSTER", "MYID"))
        self.wait_whole()

    def hurry(self, milliseconds: int = NODE_TIMEOUT_MS) -> None:
        """Make a replica take over when its master hasn't replied for `milliseconds`."""
        for one in self.nodes:
            one.ask("CONFIG", "SET", "cluster-node-timeout", milliseconds)

    def wait_whole(self) -> None:
        """Wait until every slot has a master, and every replica is connected to its master."""
        until(lambda: all(self._is_whole(one) for one in self.nodes), "the cluster is whole")

    @staticmethod
    def _known(one: Node) -> int:
        return len(one.plain.cluster("NODES"))

    def _is_whole(self, one: Node) -> bool:
        state = one.plain.cluster("INFO")
        linked = one.plain.info("replication")
        if state["cluster_state"] != "ok":
            return False
        if linked["role"] == "slave":
            return bool(linked["master_link_status"] == "up")
        if len(self.nodes) == MASTERS:
            return True
        return bool(linked["connected_slaves"] and linked["slave0"]["state"] == "online")


class WholeCluster(RedisCluster):
    """A redis-py client for tests. It reads from all servers of a cluster as if from one server."""

    def mget(self, keys: Any, *args: Any) -> Any:
        return self.mget_nonatomic(keys, *args)

    def keys(self, pattern: Any = "*", **_: Any) -> Any:
        return list(self.scan_iter(pattern, count=1_000))

    def info(self, section: Any = "commandstats", *_: Any, **__: Any) -> Any:
        """Return how often the masters of the cluster, in total, have received each command."""
        sent: Counter[str] = Counter()
        for stats in super().info(section, target_nodes=self.PRIMARIES).values():
            sent.update({name: counted["calls"] for name, counted in stats.items()})
        return {name: {"calls": calls} for name, calls in sent.items()}

    def config_set(self, name: Any, value: Any, *more: Any, **options: Any) -> Any:
        return super().config_set(name, value, *more, target_nodes=self.PRIMARIES, **options)


def plain_client(url: str) -> Redis:
    """Return a redis-py client of the server or cluster at a URL, without Rostra's code."""
    parts = urlsplit(url)
    if parts.scheme != "redis+cluster":
        return Redis.from_url(url, decode_responses=True)
    places = [place.rpartition(":")[::2] for place in parts.netloc.split(",")]
    make: Any = ClusterNode
    nodes = [make(host, int(port)) for host, port in places]
    return cast("Redis", WholeCluster(startup_nodes=nodes, decode_responses=True, protocol=2))


@contextmanager
def running(place: Path, *, replicas: bool = True, tls: Tls | None = None) -> Iterator[Cluster]:
    """Run a cluster until the `with` block ends."""
    config = f"{CLUSTERED}cluster-node-timeout {NODE_TIMEOUT_MS}\n"
    size = 2 * MASTERS if replicas else MASTERS
    made = Cluster([node(place, config, tls=tls) for _ in range(size)])
    with ended(made.nodes):
        for one in made.nodes:
            one.start()
        made.build()
        made.hurry(PATIENT_MS)
        made.wait_whole()
        yield made


@contextmanager
def single(place: Path, tls: Tls | None = None) -> Iterator[Node]:
    """Run one server until the `with` block ends."""
    own = node(place, tls=tls)
    with ended([own]):
        own.start()
        yield own


@contextmanager
def ended(nodes: Sequence[Node]) -> Iterator[None]:
    """Kill the given servers when the `with` block ends."""
    try:
        yield
    finally:
        for one in nodes:
            if one.process is not None:
                one.process.kill()
                one.process.wait()
