"""Casting votes on posts and comments, within the voter's rate limit."""

from forum.errors import VotingUnavailable
from forum.gateway.service import get_voting_service
from forum.throttling.throttle import Subject, rate_limit
from voting.errors import StoreUnavailable
from voting.types import Ballot, Row, Target, Vote


def cast(voter_id: int, joined_at: float, target: Target, vote: Vote) -> Ballot:
    """Cast a vote of a person, who signed up at `joined_at` (s since 1970), on a post or comment.

    Raises VotingClosed, UnknownTarget, Throttled and VotingUnavailable. One round trip.
    """
    limit = rate_limit(Subject.person(voter_id, joined_at), "vote")
    try:
        return get_voting_service().votes.cast(voter_id, target, vote, limit=limit)
    except StoreUnavailable as error:
        raise VotingUnavailable from error


def cast_and_show(voter_id: int, joined_at: float, post_id: int, vote: Vote) -> Row:
    """Cast a vote on a post, as `cast` does, and return the post's row. One round trip."""
    limit = rate_limit(Subject.person(voter_id, joined_at), "vote")
    try:
        _ballot, row = get_voting_service().votes.cast_and_show(
            voter_id, post_id, vote, limit=limit
        )
    except StoreUnavailable as error:
        raise VotingUnavailable from error
    return row
