"""The newest comments of a post, the last 5,000 of them (seed 004-6), and how the list is filled.

A list begins to exist with the first comment told or the first reader, and counts only when
somebody has filled it from an archive. Until then every comment that is told goes into it; the
archive's state is laid beneath, each comment in its later version. So none is lost that is told
while somebody fills, and none is missing afterwards.

Reads renew its life as writes do. Unlike a cached copy, which a read would keep alive although it
is stale, this list hears of every change in the step that makes it: the longer it lives, the less
there is to fill.
"""

from collections.abc import Sequence
from itertools import islice
from secrets import token_hex

from voting import keys
from voting.keys import comments as comment_keys
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.types.comments import Newest, NewestPage

NEWEST = scripts.load("newest")
FILL = scripts.load("fill_newest")
FILLER_LIFE = 15
"""Seconds within which a filler must have filled the list; afterwards another may begin."""
PIECE = 100
"""Comments that one call puts in, some 0.3 ms of the server's time."""
AT_ONCE = 10
"""Calls of one round trip."""
BEYOND = 2**53
"""An id above all others."""


def lists(post_id: int) -> tuple[str, str]:
    """Return the keys of a post's newest comments: their ids and their texts."""
    return comment_keys.latest(post_id), comment_keys.latest_texts(post_id)


def read(store: Store, now: int, post_id: int, before: int | None, count: int) -> NewestPage:
    """Return at most `count` comments below the id `before`, newest first. One round trip."""
    filler = token_hex(8)
    call = NEWEST(
        (_generation(post_id), *lists(post_id)),
        BEYOND if before is None else before,
        count,
        comment_keys.LATEST_LIFE,
        filler,
        now,
        FILLER_LIFE,
    )
    floor, *found = store.run(call)[0]
    if floor is None:
        return NewestPage((), None, filler if found[0] else None)
    pairs = zip(found[::2], found[1::2], strict=True)
    return NewestPage(tuple(Newest(int(one), shown) for one, shown in pairs), floor)


def fill(
    store: Store, post_id: int, filler: str, found: Sequence[tuple[int, int, str]], floor: int
) -> bool:
    """Lay an archive's state beneath a list; say whether it is whole now. A round trip a thousand
    comments, and one for the last hundred, with which the list counts: a cluster may change the
    order of what is sent at once.
    """

    def call(start: int) -> Call:
        return FILL(
            (_generation(post_id), *lists(post_id)),
            filler,
            comment_keys.beginning(post_id),
            comment_keys.LATEST_KEPT,
            comment_keys.LATEST_LIFE,
            "" if start + PIECE < len(found) else floor,
            *(part for one in found[start : start + PIECE] for part in one),
        )

    *starts, last = range(0, max(len(found), 1), PIECE)
    calls = map(call, starts)
    while some := list(islice(calls, AT_ONCE)):
        if not all(store.run(*some)):
            return False
    return bool(store.run(call(last))[0])


def _generation(post_id: int) -> str:
    return keys.generation(keys.shard_tag(keys.shard(post_id)))
