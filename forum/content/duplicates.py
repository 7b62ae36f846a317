"""Somebody posts an address that is here already: they are led there, which counts as a vote."""

from enum import StrEnum

from forum.models import Post
from forum.store import voting
from voting.errors import StoreUnavailable, TooFast, UnknownTarget, VotingClosed
from voting.types import Target, Vote
from voting.types.limits import Pace


class Arrival(StrEnum):
    """What became of the vote of a person who was led to a post."""

    COUNTED = "counted"
    VOTED_BEFORE = "voted before"
    CLOSED = "closed"
    TOO_FAST = "too fast"
    UNCOUNTED = "uncounted"


def arrive(user_id: int, post: Post, pace: Pace) -> Arrival:
    """Vote the post up for a person who has no vote there, if voting is open.

    Two round trips at most. Never raises: leading there is what matters.
    """
    try:
        row, _standing = voting().post(post.pk, viewer=user_id)
        if row.vote is None:
            return Arrival.CLOSED
        if row.vote is not Vote.NONE:
            return Arrival.VOTED_BEFORE
        voting().cast_vote(user_id, Target(post.pk), Vote.UP, pace=pace)
    except VotingClosed:
        return Arrival.CLOSED
    except TooFast:
        return Arrival.TOO_FAST
    except (StoreUnavailable, UnknownTarget):
        return Arrival.UNCOUNTED
    return Arrival.COUNTED
