"""Reads what the sentence about a refused action needs."""

from contextlib import suppress

from django.db import DatabaseError

from forum.models import Application, Comment, Post
from forum.store.service import get_voting_service
from forum.store.voters import OwnVote, archived_thread_votes
from voting.types import Ballot, Target, Vote


def is_declined(user_id: int | None) -> bool:
    """Return whether moderators declined a person's application to join. One query."""
    return Application.objects.filter(user=user_id, accepted=False).exists()


def final_vote(user_id: int | None, ballot: Ballot) -> Vote:
    """Return a person's vote on a target whose voting has closed.

    One query if the target's voter set is no longer in Redis.
    """
    service = get_voting_service()
    if user_id is None or service.votes.has_voter_set(ballot.closes_at - service.rules.window):
        return ballot.vote
    post_id, comment_id = ballot.target.post_id, ballot.target.comment_id
    with suppress(DatabaseError):
        votes = archived_thread_votes(user_id, post_id, [comment_id])
        return votes.get(comment_id, OwnVote()).vote
    return ballot.vote


def is_deleted(target: Target) -> bool:
    """Return whether a post or comment is deleted in SQL. At most two queries."""
    posts = Post.objects.deleted().filter(pk=target.post_id)
    comments = Comment.objects.deleted().filter(pk=target.comment_id)
    with suppress(DatabaseError):
        return posts.exists() or comments.filter(post_id=target.post_id).exists()
    return False
