"""Rows: what a listing shows of a post, read with the viewer's own vote."""

from collections.abc import Sequence
from typing import Any

from voting import keys, scripts
from voting.client import Store
from voting.ground import row_patterns
from voting.scripts import Call
from voting.types import Row, Rules, Vote

ROWS = scripts.load("rows")
FIELDS = 7
VOTES = {vote.value: vote for vote in Vote}


def call(post_ids: Sequence[int], viewer: int | None) -> Call:
    """Return the call that reads the rows of posts."""
    return ROWS((keys.generation(keys.RANK_TAG),), *row_patterns(viewer), *post_ids)


def decode(rules: Rules, now: int, viewer: int | None, reply: Sequence[Any]) -> tuple[Row, ...]:
    """Return the rows of a reply of `rows.lua` or `listing.lua`, whose first item is a count."""
    oldest = now - rules.window - keys.VOTERS_GRACE
    found = []
    for at in range(1, len(reply), FIELDS):
        post_id, posted_at, up, down, groups, card, vote = reply[at : at + FIELDS]
        posted = int(posted_at)
        known = viewer is not None and posted > oldest
        found.append(
            Row(
                post_id,
                posted,
                int(up),
                int(down),
                tuple(groups.split()),
                card,
                VOTES[vote] if known else None,
            )
        )
    return tuple(found)


def read(
    store: Store, rules: Rules, now: int, post_ids: Sequence[int], viewer: int | None
) -> tuple[Row, ...]:
    """Return the rows of posts in the order asked for, without unknown ones. One round trip."""
    return decode(rules, now, viewer, store.run(call(post_ids, viewer))[0])
