"""The site's cache in Redis, which counts log-in attempts in memory while Redis is unavailable.

The accounts library (django-allauth) counts log-in attempts in the cache, under a lock. If an error
stopped the counting, nobody could log in. If nothing were counted, anybody could guess passwords.
Other values are not cached while Redis is unavailable, because sessions must not differ between
processes.
"""

from typing import Any

from django_redis.cache import RedisCache
from django_redis.exceptions import ConnectionInterrupted

from forum.identity.local_limiter import memory
from forum.store.service import patience

LIMITS = "allauth:rl:"
"""Prefix of the cache keys for the accounts library's rate limits."""


class LimitsCache(RedisCache):
    """The cache in Redis. Without Redis, it still counts log-in attempts, in memory."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        # The cache and voting share one circuit breaker, so they must wait equally long.
        waits = dict.fromkeys(("SOCKET_TIMEOUT", "SOCKET_CONNECT_TIMEOUT"), patience())
        super().__init__(server, params | {"OPTIONS": params["OPTIONS"] | waits})

    def add(self, key: str, *args: Any, **kwargs: Any) -> bool:
        """Store a value unless the key has one. Return whether the value was stored."""
        return bool(self._call("add", key, *args, **kwargs))

    def get(self, key: str, default: Any = None, *args: Any, **kwargs: Any) -> Any:
        found = self._call("get", key, default, *args, **kwargs)
        return default if found is None else found

    def set(self, key: str, *args: Any, **kwargs: Any) -> Any:
        return self._call("set", key, *args, **kwargs)

    def delete(self, key: str, *args: Any, **kwargs: Any) -> bool:
        """Remove a key from Redis, and from this process's memory.

        Memory is used for locks that are taken while Redis is unavailable.
        """
        removed = memory.delete(key)
        return bool(super().delete(key, *args, **kwargs)) or removed

    def _call(self, name: str, key: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(self.client, name)(key, *args, **kwargs)
        except ConnectionInterrupted:
            is_limit = key.startswith(LIMITS)
            return getattr(memory, name)(key, *args, **kwargs) if is_limit else None
