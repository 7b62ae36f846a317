"""Parses REDIS_URL: one server, a cluster, or sentinels.

`rediss` instead of `redis` means TLS to every server and sentinel. Certificates are checked unless
the query says otherwise, in redis-py's words (`ssl_ca_certs=...`).
"""

from typing import Any
from urllib.parse import SplitResult, urlsplit

from redis import Redis
from redis.connection import parse_url
from redis.exceptions import RedisError

from voting.redis.cluster.connection import ClusterStore
from voting.redis.connection import Store
from voting.redis.pool import TIMEOUT, GuardedPool
from voting.redis.sentinel import SentinelStore
from voting.redis.topology import Address, Topology

CLUSTER, SENTINEL = "+cluster", "+sentinel"
PORT, SENTINEL_PORT = 6379, 26379
SERVERS_OWN = {"username", "password", "db"}
"""Options for servers and not for sentinels."""
DECODING = {"decode_responses", "encoding", "encoding_errors"}
"""Options that a URL may not have: voting needs text, the cache at the same URL needs bytes."""


def connect(
    url: str, timeout: float = TIMEOUT, wait_replicas: int = 0, read_replicas: bool = False
) -> Store:
    """Return a store for redis://, unix://, redis+cluster://, redis+sentinel://, or with rediss.

    A reply may take `timeout` seconds. `wait_replicas` replicas must have a change before it is
    acknowledged. With `read_replicas`, replicas answer guests. No round trip.
    """
    parts = urlsplit(url)
    waits: dict[str, Any] = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
    if parts.scheme.endswith(CLUSTER):
        return _cluster(parts, waits, wait_replicas, read_replicas)
    if parts.scheme.endswith(SENTINEL):
        return _sentinel(parts, waits, wait_replicas, read_replicas)
    pool = GuardedPool.from_url(url, decode_responses=True, **waits)
    return Store(Redis(connection_pool=pool), wait_replicas)


def is_redis_url(url: str) -> bool:
    """Return whether redis-py understands a URL's ports, log-in and options, and whether sentinels
    have the name of a service. No round trip.
    """
    try:
        parts = urlsplit(url)
        options, servers = _options(parts), _addresses(parts, PORT)
        GuardedPool(**options).make_connection()
    except (RedisError, TypeError, ValueError):
        return False
    named = parts.path.strip("/") or not parts.scheme.endswith(SENTINEL)
    counted = len(servers) == 1 or "+" in parts.scheme
    return bool(named and counted) and DECODING.isdisjoint(options)


def _cluster(
    parts: SplitResult, waits: dict[str, Any], wait_replicas: int, read_replicas: bool
) -> Store:
    options = {**_options(parts), **waits, "decode_responses": True}

    def pool_at(address: Address) -> GuardedPool:
        return GuardedPool(host=address[0], port=address[1], **options)

    seeds = _addresses(parts, PORT)
    return ClusterStore(Topology(seeds, pool_at), seeds[0], wait_replicas, read_replicas)


def _sentinel(
    parts: SplitResult, waits: dict[str, Any], wait_replicas: int, read_replicas: bool
) -> Store:
    """Log-in and database (`?db=`) are for the server; sentinels are asked without them."""
    options = {**_options(parts), **waits, "decode_responses": True}
    sentinels_own = {name: options[name] for name in options.keys() - SERVERS_OWN}

    def pool_at(address: Address) -> GuardedPool:
        return GuardedPool(host=address[0], port=address[1], **options)

    sentinels = [
        GuardedPool(host=host, port=port, **sentinels_own)
        for host, port in _addresses(parts, SENTINEL_PORT)
    ]
    service = parts.path.strip("/")
    return SentinelStore(sentinels, service, pool_at, wait_replicas, read_replicas)


def _addresses(parts: SplitResult, port: int) -> list[Address]:
    """Return the hosts and ports of a URL; several are separated by commas."""
    found = []
    for place in parts.netloc.rpartition("@")[2].split(","):
        one = urlsplit(f"//{place}")
        found.append((one.hostname or "127.0.0.1", one.port or port))
    return found


def _options(parts: SplitResult) -> dict[str, Any]:
    """Return the options in a URL's log-in and query, and whether TLS is used."""
    scheme, log_in = parts.scheme.partition("+")[0], parts.netloc.rpartition("@")[0]
    parse: Any = parse_url
    return dict(parse(f"{scheme}://{log_in}@?{parts.query}"))
