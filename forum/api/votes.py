"""Votes on posts and comments."""

from datetime import UTC, datetime
from functools import partial

from django.conf import settings
from django.http import HttpRequest
from ninja import Router

from forum.actions import votes
from forum.api import schemas, serializers
from forum.api.auth import Scope
from forum.api.bodies import NewVote
from forum.api.lookups import find_comment
from forum.api.operations import needs
from forum.api.parameters import Id
from forum.config.hidden_scores import is_hidden
from forum.identity.network import network_hash
from forum.identity.viewers import member, viewer_of
from voting.types import BY_WORD, Ballot, Target

router = Router(tags=["Votes"])


@router.post("/posts/{post_id}/vote", **needs(Scope.VOTE, schemas.Votes))
def vote_on_post(request: HttpRequest, post_id: Id, body: NewVote) -> schemas.Votes:
    """Vote on a post, or take a vote back."""
    ballot = _cast(request, Target(post_id), body)
    return _votes(ballot, ballot.closes_at - settings.VOTING_RULES.window)


@router.post("/comments/{comment_id}/vote", **needs(Scope.VOTE, schemas.Votes))
def vote_on_comment(request: HttpRequest, comment_id: Id, body: NewVote) -> schemas.Votes:
    """Vote on a comment, or take a vote back."""
    found = find_comment(comment_id)
    ballot = _cast(request, Target(found.post_id, comment_id), body)
    return _votes(ballot, found.posted_at)


def _cast(request: HttpRequest, target: Target, body: NewVote) -> Ballot:
    return votes.cast(
        viewer_of(member(request).pk),
        target,
        BY_WORD[body.vote],
        network=partial(network_hash, request),
    )


def _votes(ballot: Ballot, posted_at: int) -> schemas.Votes:
    """Return the votes after a vote, on a post or comment that was posted at this time."""
    hidden = is_hidden(posted_at)
    tally = serializers.votes(ballot.up, ballot.down, ballot.points, hides_score=hidden)
    counts_at = datetime.fromtimestamp(ballot.counts_at, UTC) if ballot.counts_at else None
    return schemas.Votes(vote=int(ballot.vote), counts_at=counts_at, **tally)
