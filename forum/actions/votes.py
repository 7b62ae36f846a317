"""Casting votes on posts and comments, within the voter's rate limit."""

from collections.abc import Callable
from functools import partial

from forum.errors import VotingUnavailable
from forum.identity import permissions
from forum.identity.throttle import Subject, daily_votes, vote_limit
from forum.identity.viewers import Viewer
from forum.models import Comment, Post
from forum.queries.merged_posts import surviving
from forum.store.newcomers import newcomer
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable, UnknownTarget
from voting.types import Ballot, Target, Vote


def cast(
    voter: Viewer,
    target: Target,
    vote: Vote,
    *,
    network: Callable[[], str],
    with_row: bool = False,
) -> Ballot:
    """Cast a person's vote on a post or comment. It may have to wait if the account is new.

    `network` returns a hash of the person's network, and is called only for new accounts.

    A vote on a merged post counts for the post that remains, which the ballot names. With
    `with_row`, the ballot also has the post's row for listings. Raises Banned, NotAccepted,
    VotingClosed, UnknownTarget, Throttled or TooManyVotes. Raises Forbidden if the voter's karma
    isn't enough for a down vote. Raises VotingUnavailable if Redis is unavailable.
    """
    permissions.require_accepted(voter.is_applicant)
    permissions.require_may_vote(voter.id, voter.site_ban)
    if vote is Vote.DOWN:
        permissions.require_may_vote_down(voter.karma)
    subject = Subject.person(voter.id, voter.joined_at)
    limit = vote_limit(subject, takes_back=vote is Vote.NONE)
    new = newcomer(voter.id, voter.new_until, network()) if voter.new_until else None
    cast_on = partial(
        get_voting_service().votes.cast,
        voter.id,
        limit=limit,
        daily=daily_votes(voter.karma),
        newcomer=new,
        with_row=with_row,
    )
    try:
        try:
            return cast_on(target, vote)
        except UnknownTarget:
            return cast_on(_remaining(target), vote)
    except StoreUnavailable as error:
        raise VotingUnavailable from error


def _remaining(target: Target) -> Target:
    """Return the target that a merge made of a post, or of a comment on it.

    Raises UnknownTarget if the post wasn't merged, or if the comment isn't on the remaining post.
    """
    post = Post.objects.filter(pk=target.post_id, merged_into__isnull=False).first()
    if post is None:
        raise UnknownTarget(target)
    remaining = Target(surviving(post).pk, target.comment_id)
    comments = Comment.objects.filter(pk=target.comment_id, post=remaining.post_id)
    if target.comment_id and not comments.exists():
        raise UnknownTarget(target)
    return remaining
