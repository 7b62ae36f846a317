"""What a post's own page asks of voting, at once."""

from collections.abc import Sequence

from voting.errors import UnknownTarget
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.topics import comment_votes, lists, rankings, rows
from voting.topics.unread import decode_unread, unread_call
from voting.types import Rules, Target
from voting.types.comments import ThreadState


def read(
    store: Store,
    rules: Rules,
    now: int,
    post_id: int,
    comment_ids: Sequence[int],
    viewer: int | None,
    *,
    viewing: Sequence[Call],
    comments: int | None,
) -> ThreadState:
    """Return what a thread's page shows, as `VotingService.thread` says; `viewing` are the calls
    that count the view. Raises UnknownTarget. One round trip.
    """
    asked = comment_votes.tallies_calls(post_id, comment_ids, viewer)
    reading = [] if viewer is None else [unread_call(viewer)]
    visiting = []
    if viewer is not None and comments is not None:
        visiting = [lists.visit_call(viewer, post_id, comments, now)]
    found, standing, *replies = store.run(
        rows.call((post_id,), viewer),
        rankings.explain_call(post_id),
        *asked,
        *reading,
        beside=(*visiting, *viewing),
    )
    tallies, others = replies[: len(asked)], replies[len(asked) :]
    shown = rows.decode(rules, now, viewer, found[-1])
    if not shown:
        raise UnknownTarget(Target(post_id))
    return ThreadState(
        shown[0],
        rankings.decode_standing(rules, post_id, standing),
        comment_votes.decode_tallies(rules, now, viewer, tallies),
        others[1] if visiting else None,
        None if viewer is None else decode_unread(viewer, others[0]).total,
    )
