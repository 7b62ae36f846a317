"""Votes on posts and comments."""

from django.http import HttpRequest
from ninja import Router

from forum.actions import votes
from forum.api import schemas
from forum.api.auth import Scope
from forum.api.bodies import NewVote
from forum.api.lookups import find_comment
from forum.api.operations import needs
from forum.api.parameters import Id
from forum.identity.viewers import member, viewer_of
from voting.types import BY_WORD, Target

router = Router(tags=["Votes"])


@router.post("/posts/{post_id}/vote", **needs(Scope.VOTE, schemas.Votes))
def vote_on_post(request: HttpRequest, post_id: Id, body: NewVote) -> schemas.Votes:
    """Vote on a post, or take a vote back."""
    return _vote(request, Target(post_id), body)


@router.post("/comments/{comment_id}/vote", **needs(Scope.VOTE, schemas.Votes))
def vote_on_comment(request: HttpRequest, comment_id: Id, body: NewVote) -> schemas.Votes:
    """Vote on a comment, or take a vote back."""
    return _vote(request, Target(find_comment(comment_id).post_id, comment_id), body)


def _vote(request: HttpRequest, target: Target, body: NewVote) -> schemas.Votes:
    ballot = votes.cast(viewer_of(member(request).pk), target, BY_WORD[body.vote])
    return schemas.Votes(
        vote=int(ballot.vote), points=ballot.points, up=ballot.up, down=ballot.down
    )
