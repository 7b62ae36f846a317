"""Reads archived votes from SQL: a person's votes, and all votes on a post or comment."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from forum.models import ArchivedVote
from voting.types import Target, Vote


def archived_votes(user_id: int, post_ids: Collection[int]) -> dict[int, Vote]:
    """Map the ids of posts to a person's archived votes on these posts."""
    found = ArchivedVote.objects.filter(user_id=user_id, post_id__in=post_ids, comment_id=0)
    return {post_id: Vote(vote) for post_id, vote in found.values_list("post_id", "vote")}


def archived_thread_votes(
    user_id: int, post_id: int, comment_ids: Collection[int]
) -> dict[int, Vote]:
    """Return a person's archived votes on a post's comments, by comment id.

    In `comment_ids` and in the result, the id 0 stands for the post itself.
    """
    found = ArchivedVote.objects.filter(
        user_id=user_id, post_id=post_id, comment_id__in=comment_ids
    )
    return {comment_id: Vote(vote) for comment_id, vote in found.values_list("comment_id", "vote")}


def archived_comment_votes(user_id: int, targets: Iterable[Target]) -> dict[int, Vote]:
    """Map the ids of comments, on any posts, to a person's archived votes on them."""
    targets = list(targets)
    found = ArchivedVote.objects.filter(
        user_id=user_id,
        post_id__in={target.post_id for target in targets},  # the index begins with the post
        comment_id__in=[target.comment_id for target in targets],
    )
    return {comment_id: Vote(vote) for comment_id, vote in found.values_list("comment_id", "vote")}


def by_vote(
    cast: Iterable[tuple[int, int, int]], authors: Mapping[int, int]
) -> defaultdict[int, dict[Vote, list[int]]]:
    """Group votes: `result[target_id][Vote.UP]` lists who voted the target up.

    `cast` contains a tuple (target id, voter's id, vote) for each vote. `authors` maps target ids
    to authors' ids. If `cast` has no vote by the author of a target, adds an up vote by the author.
    """
    found: defaultdict[int, dict[Vote, list[int]]] = defaultdict(lambda: {one: [] for one in Vote})
    for target_id, user_id, vote in cast:
        found[target_id][Vote(vote)].append(user_id)
    for target_id, author_id in authors.items():
        votes = found[target_id]
        if not any(author_id in people for people in votes.values()):
            votes[Vote.UP].append(author_id)
    return found
