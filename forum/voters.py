"""Votes that are no longer in Redis: what a person voted on posts that closed long ago."""

from collections.abc import Collection

from forum.models import ArchivedVote
from voting.types import Vote


def archived_votes(user_id: int, post_ids: Collection[int]) -> dict[int, Vote]:
    """Return a person's archived votes on posts, without those never voted on. One query."""
    found = ArchivedVote.objects.filter(user_id=user_id, post_id__in=post_ids, comment_id=0)
    return {post_id: Vote(vote) for post_id, vote in found.values_list("post_id", "vote")}
