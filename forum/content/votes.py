"""Casting votes on posts and comments, within the voter's rate limit."""

from forum import permissions
from forum.errors import VotingUnavailable
from forum.gateway.service import get_voting_service
from forum.identity.viewers import Viewer
from forum.throttling.throttle import Subject, rate_limit
from voting.errors import StoreUnavailable
from voting.types import Ballot, Row, Target, Vote


def cast(voter: Viewer, target: Target, vote: Vote) -> Ballot:
    """Cast a person's vote on a post or comment.

    Raises Banned, NotAccepted, VotingClosed, UnknownTarget or Throttled. Raises VotingUnavailable
    if Redis is unavailable.
    """
    permissions.require_accepted(voter.is_applicant)
    permissions.require_may_vote(voter.id, voter.site_ban)
    limit = rate_limit(Subject.person(voter.id, voter.joined_at), "vote")
    try:
        return get_voting_service().votes.cast(voter.id, target, vote, limit=limit)
    except StoreUnavailable as error:
        raise VotingUnavailable from error


def cast_and_show(voter: Viewer, post_id: int, vote: Vote) -> Row:
    """Cast a vote on a post, and return the post for listings, with the new votes.

    Raises the same errors as `cast`.
    """
    permissions.require_accepted(voter.is_applicant)
    permissions.require_may_vote(voter.id, voter.site_ban)
    limit = rate_limit(Subject.person(voter.id, voter.joined_at), "vote")
    try:
        _ballot, row = get_voting_service().votes.cast_and_show(
            voter.id, post_id, vote, limit=limit
        )
    except StoreUnavailable as error:
        raise VotingUnavailable from error
    return row
