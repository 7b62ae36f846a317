"""Copies to another Redis what SQL could not fill there again: what people viewed and how many
comments they saw there, the running spam windows, and who viewed a post today.

Key by key and by type, with the time each ends: servers of other versions, or of a cluster, would
refuse each other's snapshots.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from voting.keys import daily, people
from voting.redis.connection import Store

BATCH = 500
"""Keys copied at once."""
NO_END = -1


def carry(source: Store, target: Store) -> int:
    """Copy what SQL does not have, in place of what the target has; return how many keys.

    Round trips: one for a thousand keys of the source, three for 500 that are copied, and one
    for each string.
    """
    found = (key for key in source.scan("*") if _is_carried(key))
    carried = 0
    while some := list(dict.fromkeys(islice(found, BATCH))):
        _copy(source, target, some)
        carried += len(some)
    return carried


def _is_carried(key: str) -> bool:
    if key.startswith(people.BEGINNING):
        return key.endswith(people.KEPT)
    return key.startswith(daily.WINDOWS) or daily.VISITORS in key


def _copy(source: Store, target: Store, some: Sequence[str]) -> None:
    with source.pipeline() as pipeline:
        for key in some:
            pipeline.type(key)
            pipeline.pexpiretime(key)
        told = iter(pipeline.execute())
    kinds = {key: (str(next(told)), int(next(told))) for key in some}
    values = _values(source, {key: kind for key, (kind, _end) in kinds.items()})
    with target.pipeline() as pipeline:
        for key, value in values.items():
            pipeline.delete(key)
            if isinstance(value, dict):
                pipeline.hset(key, mapping=value)
            elif isinstance(value, list):
                pipeline.zadd(key, dict(value))
            else:
                pipeline.set(key, value)
            if kinds[key][1] > NO_END:
                pipeline.pexpireat(key, kinds[key][1])
        pipeline.execute()


def _values(source: Store, kinds: dict[str, str]) -> dict[str, Any]:
    """Return what keys hold: fields of a hash, members of a sorted set with scores, or bytes.

    A key that has ended meanwhile is left out.
    """
    texts = [key for key, kind in kinds.items() if kind in {"hash", "zset"}]
    with source.pipeline() as pipeline:
        for key in texts:
            if kinds[key] == "hash":
                pipeline.hgetall(key)
            else:
                pipeline.zrange(key, 0, -1, withscores=True)
        found: dict[str, Any] = dict(zip(texts, pipeline.execute(), strict=True))
    found |= {key: source.raw("GET", key) for key, kind in kinds.items() if kind == "string"}
    return {key: value for key, value in found.items() if value}
