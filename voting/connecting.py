"""Reads the address of Redis: one server, a cluster, or sentinels that know one."""

from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from redis import Redis

from voting.client import Store
from voting.cluster import ClusterStore
from voting.pool import TIMEOUT, GuardedPool
from voting.sentinel import SentinelStore
from voting.topology import Address, Topology

CLUSTER, SENTINEL = "redis+cluster", "redis+sentinel"
PORT, SENTINEL_PORT = 6379, 26379


def connect(
    url: str, timeout: float = TIMEOUT, wait_replicas: int = 0, read_replicas: bool = False
) -> Store:
    """Return a store for redis://, rediss://, unix://, redis+cluster:// or redis+sentinel://.

    `timeout` is in seconds; `wait_replicas` must have a change before it is acknowledged;
    with `read_replicas` those that sentinels know answer guests. No round trip.
    """
    parts = urlsplit(url)
    waits: dict[str, Any] = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
    if parts.scheme == CLUSTER:
        return _cluster(parts, waits, wait_replicas)
    if parts.scheme == SENTINEL:
        return _sentinel(parts, waits, wait_replicas, read_replicas)
    pool = GuardedPool.from_url(url, decode_responses=True, **waits)
    return Store(Redis(connection_pool=pool), wait_replicas)


def _cluster(parts: SplitResult, waits: dict[str, Any], wait_replicas: int) -> Store:
    options = {**_log_in(parts), **waits, "decode_responses": True}

    def pool_at(address: Address) -> GuardedPool:
        return GuardedPool(host=address[0], port=address[1], **options)

    seeds = _addresses(parts, PORT)
    return ClusterStore(Topology(seeds, pool_at), seeds[0], wait_replicas)


def _sentinel(
    parts: SplitResult, waits: dict[str, Any], wait_replicas: int, read_replicas: bool
) -> Store:
    """The log-in and the database (`?db=`) are the server's; sentinels are asked without one."""
    options = {**_log_in(parts), **waits, "decode_responses": True}
    options["db"] = int(parse_qs(parts.query).get("db", ["0"])[0])

    def pool_at(address: Address) -> GuardedPool:
        return GuardedPool(host=address[0], port=address[1], **options)

    sentinels = [
        GuardedPool(host=host, port=port, decode_responses=True, **waits)
        for host, port in _addresses(parts, SENTINEL_PORT)
    ]
    service = parts.path.strip("/")
    return SentinelStore(sentinels, service, pool_at, wait_replicas, read_replicas)


def _addresses(parts: SplitResult, port: int) -> list[Address]:
    """Return the hosts and ports of an address that names several, with commas."""
    found = []
    for place in parts.netloc.rpartition("@")[2].split(","):
        one = urlsplit(f"//{place}")
        found.append((one.hostname or "127.0.0.1", one.port or port))
    return found


def _log_in(parts: SplitResult) -> dict[str, str]:
    """Return the name and the password before the @."""
    name, _, password = parts.netloc.rpartition("@")[0].partition(":")
    found = {"username": unquote(name), "password": unquote(password)}
    return {part: given for part, given in found.items() if given}
