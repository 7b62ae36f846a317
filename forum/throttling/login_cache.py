"""The cache in Redis, with limits on log-in that hold while Redis is away.

The accounts library counts attempts in the cache under a lock. With Redis away that lock would
never be had and nobody could log in; without limits anybody could guess passwords. So this
process counts for itself meanwhile. Everything else stays forgetful: what two processes would
have to agree on (sessions) must not be remembered by one of them.
"""

from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django_redis.cache import CONNECTION_INTERRUPTED, RedisCache
from django_redis.exceptions import ConnectionInterrupted

from forum.gateway.service import patience

LIMITS = "allauth:rl:"
"""How the accounts library's keys for its limits begin."""
MOST = 10_000
"""Limits one process remembers at most."""


class SteadyCache(RedisCache):
    """Redis, and this process's own memory for limits while it is away."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        # It shares its server's breaker with voting: who gives up sooner stops the other too.
        waits = dict.fromkeys(("SOCKET_TIMEOUT", "SOCKET_CONNECT_TIMEOUT"), patience())
        super().__init__(server, params | {"OPTIONS": params["OPTIONS"] | waits})
        self._nearby = LocMemCache("limits", {"MAX_ENTRIES": MOST})

    def add(self, key: str, *args: Any, **kwargs: Any) -> bool:
        """Keep a value unless there is one."""
        try:
            return bool(self.client.add(key, *args, **kwargs))
        except ConnectionInterrupted:
            return key.startswith(LIMITS) and self._nearby.add(key, *args, **kwargs)

    def get(self, key: str, default: Any = None, version: Any = None, client: Any = None) -> Any:
        """Return what is kept."""
        value = self._get(key, default, version, client)
        if value is not CONNECTION_INTERRUPTED:
            return value
        return self._nearby.get(key, default) if key.startswith(LIMITS) else default

    def set(self, key: str, *args: Any, **kwargs: Any) -> Any:
        """Keep a value."""
        try:
            return self.client.set(key, *args, **kwargs)
        except ConnectionInterrupted:
            if key.startswith(LIMITS):
                self._nearby.set(key, *args, **kwargs)
            return None

    def delete(self, key: str, *args: Any, **kwargs: Any) -> bool:
        """Forget a value. What stayed nearby goes too, so that no lock outlives its holder."""
        nearby = key.startswith(LIMITS) and self._nearby.delete(key)
        return bool(super().delete(key, *args, **kwargs)) or nearby
