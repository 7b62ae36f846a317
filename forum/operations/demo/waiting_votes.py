"""Saves votes of the newest person, which wait because the account is new."""

from datetime import timedelta

from django.conf import settings

from forum.models import ArchivedVote, VoteState
from forum.operations.demo.scene import Scene, moment
from voting.types import Vote

VOTER = "new_in_town"
VOTES = 3
"""How many votes wait."""
MINUTES = 60


def write_waiting_votes(scene: Scene) -> None:
    """Save waiting up votes on the newest posts on which the newest person hasn't voted."""
    voter = scene.people[VOTER]
    known = ArchivedVote.objects.filter(user_id=voter.pk, comment_id=0)
    voted = set(known.values_list("post_id", flat=True))
    posts = sorted(scene.posts.values(), key=lambda post: post.created_at, reverse=True)
    others = [post for post in posts if post.pk not in voted and post.author_id != voter.pk]
    ArchivedVote.objects.bulk_create(
        ArchivedVote(
            user_id=voter.pk,
            post_id=post.pk,
            vote=Vote.UP,
            at=moment(scene.now - MINUTES),
            state=VoteState.WAITING,
            counts_at=voter.date_joined + timedelta(seconds=settings.NEW_PERSON),
        )
        for post in others[:VOTES]
    )
