"""Looks at everything Redis holds of a post, so that it can be compared with an archive."""

from collections.abc import Iterator, Sequence

from voting import keys
from voting.client import Store
from voting.ground import member
from voting.types import Inspected, Order, Target

SCANNED = 1_000


def inspect(store: Store, post_ids: Sequence[int]) -> dict[int, Inspected]:
    """Return what Redis holds of posts, without unknown ones. Two round trips."""
    with store.pipeline() as pipeline:
        for post_id in post_ids:
            pipeline.hmget(keys.post(post_id), "posted_at", "up", "down", "groups", "gone")
        hashes = pipeline.execute()
    known = {
        post_id: fields
        for post_id, fields in zip(post_ids, hashes, strict=True)
        if fields[0] is not None
    }
    with store.pipeline() as pipeline:
        for post_id, fields in known.items():
            pipeline.smembers(keys.voters(Target(post_id)))
            pipeline.zscore(keys.ranking(Order.HOT), member(post_id))
            pipeline.zscore(keys.ranking(Order.TOP_ALL), member(post_id))
            for name in fields[3].split():
                pipeline.sismember(keys.group(name), str(post_id))
        replies = iter(pipeline.execute())
    found = {}
    for post_id, (_, up, down, groups, gone) in known.items():
        voters = [int(voter) for voter in next(replies)]
        hot, top = next(replies), next(replies)
        found[post_id] = Inspected(
            up=int(up),
            down=int(down),
            ups=frozenset(voter for voter in voters if voter > 0),
            downs=frozenset(-voter for voter in voters if voter < 0),
            hot=hot,
            top=top,
            groups=frozenset(name for name in groups.split() if next(replies)),
            gone=gone is not None,
        )
    return found


def listed_ids(store: Store) -> Iterator[int]:
    """Yield the posts of the site's `new` ranking. One round trip a thousand."""
    cursor: int = 0
    while True:
        cursor, members = store.command("ZSCAN", keys.ranking(Order.NEW), cursor, "COUNT", SCANNED)
        for spelled, _ in members:
            yield int(spelled)
        if not cursor:
            return
