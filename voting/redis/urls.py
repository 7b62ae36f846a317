"""Parses REDIS_URL: one server, a cluster, or sentinels.

`rediss` instead of `redis` means TLS to every server and sentinel. Certificates are checked unless
the URL turns this off. The query of the URL takes options of redis-py (`ssl_ca_certs=...`).
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
"""URL options for the Redis servers, not for the sentinels."""
DECODING = {"decode_responses", "encoding", "encoding_errors"}
"""Options that a URL may not have.

Voting and Django's cache use the same URL. Voting needs replies as text, and the cache needs bytes,
so the URL can't choose between them.
"""


def connect(url: str, timeout: float = TIMEOUT, wait_replicas: int = 0) -> Store:
    """Return a store for a URL: redis://, unix://, redis+cluster:// or redis+sentinel://.

    With `rediss` instead of `redis`, connections use TLS. A reply may take `timeout` seconds. A
    change is acknowledged only after `wait_replicas` replicas have the change. No round
    trip.
    """
    parts = urlsplit(url)
    ours: dict[str, Any] = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
    ours["decode_responses"] = True
    if not parts.scheme.endswith((CLUSTER, SENTINEL)):
        pool = GuardedPool.from_url(url, **ours)
        return Store(Redis(connection_pool=pool), wait_replicas)
    options = _options(parts) | ours

    def pool_at(address: Address) -> GuardedPool:
        return GuardedPool(host=address[0], port=address[1], **options)

    if parts.scheme.endswith(CLUSTER):
        seeds = _addresses(parts, PORT)
        return ClusterStore(Topology(seeds, pool_at), seeds[0], wait_replicas)
    sentinels_own = {name: options[name] for name in options.keys() - SERVERS_OWN}
    sentinels = [
        GuardedPool(host=host, port=port, **sentinels_own)
        for host, port in _addresses(parts, SENTINEL_PORT)
    ]
    service = parts.path.strip("/")
    return SentinelStore(sentinels, service, pool_at, wait_replicas)


def is_redis_url(url: str) -> bool:
    """Return whether `connect` can use a URL. No round trip."""
    try:
        parts = urlsplit(url)
        options, servers = _options(parts), _addresses(parts, PORT)
        GuardedPool(**options).make_connection()
    except (RedisError, TypeError, ValueError):
        return False
    named = parts.path.strip("/") or not parts.scheme.endswith(SENTINEL)
    counted = len(servers) == 1 or "+" in parts.scheme
    return bool(named and counted) and DECODING.isdisjoint(options)


def _addresses(parts: SplitResult, port: int) -> list[Address]:
    """Return the host and port of each server in a URL, where commas separate the servers."""
    found = []
    for place in parts.netloc.rpartition("@")[2].split(","):
        one = urlsplit(f"//{place}")
        found.append((one.hostname or "127.0.0.1", one.port or port))
    return found


def _options(parts: SplitResult) -> dict[str, Any]:
    """Return the connection options from a URL's log-in, query and scheme (TLS)."""
    scheme, log_in = parts.scheme.partition("+")[0], parts.netloc.rpartition("@")[0]
    parse: Any = parse_url
    return dict(parse(f"{scheme}://{log_in}@?{parts.query}"))
