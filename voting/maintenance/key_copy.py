"""Copies data that isn't in SQL from one Redis server to another.

This data is the actions counted by rate limits, today's visitors of each post, and the threads that
people viewed.

Each key is copied with the commands for its type, together with its expiry time. The command DUMP
isn't used, because a server of another version, or a cluster, may refuse its format.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from voting import keys
from voting.keys import daily, people
from voting.redis.connection import Store

BATCH = 500
"""Keys copied in one batch."""
NO_EXPIRY = -1


def copy_keys(source: Store, target: Store) -> int:
    """Copy to `target` the keys of `source` whose data isn't in SQL; return their number.

    One round trip per 1,000 keys of the source, three per 500 copied keys, and one per copied
    string.
    """
    matching = (key for key in source.scan("*") if _is_copied(key))
    copied = 0
    while some := list(dict.fromkeys(islice(matching, BATCH))):
        _copy(source, target, some)
        copied += len(some)
    return copied


def _is_copied(key: str) -> bool:
    if key.startswith(people.BEGINNING):
        return key.endswith(people.KEPT)
    return key.startswith(keys.WINDOWS) or daily.VISITORS in key


def _copy(source: Store, target: Store, some: Sequence[str]) -> None:
    with source.pipeline() as pipeline:
        for key in some:
            pipeline.type(key)
            pipeline.pexpiretime(key)
        replies = iter(pipeline.execute())
    types = {key: (str(next(replies)), int(next(replies))) for key in some}
    values = _values(source, {key: name for key, (name, _expiry) in types.items()})
    with target.pipeline() as pipeline:
        for key, value in values.items():
            pipeline.delete(key)
            if isinstance(value, dict):
                pipeline.hset(key, mapping=value)
            elif isinstance(value, list):
                pipeline.zadd(key, dict(value))
            else:
                pipeline.set(key, value)
            if types[key][1] > NO_EXPIRY:
                pipeline.pexpireat(key, types[key][1])
        pipeline.execute()


def _values(source: Store, types: dict[str, str]) -> dict[str, Any]:
    """Return a dict that maps each key to its value. Expired keys are left out."""
    texts = [key for key, name in types.items() if name in {"hash", "zset"}]
    with source.pipeline() as pipeline:
        for key in texts:
            if types[key] == "hash":
                pipeline.hgetall(key)
            else:
                pipeline.zrange(key, 0, -1, withscores=True)
        found: dict[str, Any] = dict(zip(texts, pipeline.execute(), strict=True))
    found |= {key: source.raw("GET", key) for key, name in types.items() if name == "string"}
    return {key: value for key, value in found.items() if value}
