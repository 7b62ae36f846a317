"""An empty Redis that a site moves to: taken, so that a move which was stopped may be repeated."""

from voting import keys
from voting.redis.connection import Store


def version(store: Store) -> str:
    """Return the version of Redis that a server is, or that a Valkey keeps to. One round trip."""
    return str(store.command("INFO", "server")["redis_version"])


def take(store: Store, site: str) -> bool:
    """Take a Redis that has no key, or that `site` took before; False where it is another's.

    Three round trips.
    """
    holder = store.command("GET", keys.claim())
    if holder is None and next(store.scan("*"), None) is None:
        store.command("SET", keys.claim(), site)
        return True
    return bool(holder == site)


def drop(store: Store) -> None:
    """Let the claim go. One round trip."""
    store.command("DEL", keys.claim())
