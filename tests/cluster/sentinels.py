"""A Redis master with replicas and sentinels."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.nodes import Node, Tls, ended, node
from tests.waiting import until

SERVICE = "votes"
DOWN_AFTER_MS = 1_000
"""Milliseconds without a reply after which sentinels replace a master."""
LONG_MS = 60_000
"""Milliseconds until sentinels replace a silent master, in tests without failovers.

Even on a busy machine, every server replies sooner.
"""
REPLICAS, SENTINELS = 2, 3

WATCHING = """\
bind 127.0.0.1
port {{port}}
dir "{{directory}}"
sentinel monitor {service} 127.0.0.1 {master} 2
sentinel down-after-milliseconds {service} {down_after}
sentinel failover-timeout {service} 5000
"""


@dataclass
class Watched:
    """A master, its replicas, and the sentinels that watch the master."""

    servers: list[Node]
    sentinels: list[Node]

    @property
    def url(self) -> str:
        places = ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels)
        return f"redis+sentinel://{places}/{SERVICE}"

    def master(self) -> Node:
        """Return the server that is the current master, according to the first sentinel."""
        _, port = self.sentinels[0].ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
        return next(one for one in self.servers if one.port == int(port))

    def hurry(self) -> None:
        """Make the sentinels replace a master after one second of silence."""
        for one in self.sentinels:
            one.ask("SENTINEL", "SET", SERVICE, "down-after-milliseconds", DOWN_AFTER_MS)

    def replicas_online(self) -> int:
        """Return how many replicas are connected to the master."""
        return int(self.master().plain.info("replication")["connected_slaves"])


@contextmanager
def watched(place: Path, tls: Tls | None = None) -> Iterator[Watched]:
    """Run a master, replicas and sentinels until the `with` block ends."""
    servers = [node(place, tls=tls) for _ in range(1 + REPLICAS)]
    watching = WATCHING.format(service=SERVICE, master=servers[0].port, down_after=LONG_MS)
    sentinels = [node(place, watching, ("--sentinel",), tls) for _ in range(SENTINELS)]
    with ended([*servers, *sentinels]):
        for one in servers:
            one.start()
        for one in servers[1:]:
            one.ask("REPLICAOF", "127.0.0.1", servers[0].port)
        made = Watched(servers, sentinels)
        for one in sentinels:
            one.start()
        until(lambda: all(_sees_all(one) for one in sentinels), "the sentinels see everybody")
        until(lambda: made.replicas_online() == REPLICAS, "the replicas are linked")
        yield made


def _sees_all(sentinel: Node) -> bool:
    words = sentinel.ask("SENTINEL", "MASTER", SERVICE)
    state = words if isinstance(words, dict) else dict(zip(words[::2], words[1::2], strict=True))
    seen = int(state["num-slaves"]), int(state["num-other-sentinels"])
    return seen == (REPLICAS, SENTINELS - 1)
