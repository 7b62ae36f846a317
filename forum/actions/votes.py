"""Casting votes on posts and comments, within the voter's rate limit."""

from forum.errors import VotingUnavailable
from forum.identity import permissions
from forum.identity.throttle import Subject, rate_limit
from forum.identity.viewers import Viewer
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types import Ballot, Target, Vote


def cast(voter: Viewer, target: Target, vote: Vote, *, with_row: bool = False) -> Ballot:
    """Cast a person's vote on a post or comment.

    With `with_row`, the ballot also has the post's row for listings. Raises Banned, NotAccepted,
    VotingClosed, UnknownTarget or Throttled. Raises VotingUnavailable if Redis is unavailable.
    """
    permissions.require_accepted(voter.is_applicant)
    permissions.require_may_vote(voter.id, voter.site_ban)
    limit = rate_limit(Subject.person(voter.id, voter.joined_at), "vote")
    votes = get_voting_service().votes
    try:
        return votes.cast(voter.id, target, vote, limit=limit, with_row=with_row)
    except StoreUnavailable as error:
        raise VotingUnavailable from error
