"""Counts archived votes anew, where a Redis that had lost some wrote too few of them to SQL."""

from collections.abc import Collection

from django.db import transaction

from forum.models import ArchivedVote, Comment, Post
from forum.records.voters import by_vote
from forum.store import voting
from voting.types import Vote


@transaction.atomic
def recount_posts(post_ids: Collection[int]) -> None:
    """Make what SQL counts of posts what their archived votes are. Two queries, three if any
    was wrong.
    """
    posts = list(Post.objects.select_for_update().filter(pk__in=post_ids).order_by("pk"))
    cast = ArchivedVote.objects.filter(post_id__in=post_ids, comment_id=0)
    voters = by_vote(
        cast.values_list("post_id", "user_id", "vote"), {post.pk: post.author_id for post in posts}
    )
    wrong = [post for post in posts if _corrected(post, voters[post.pk])]
    for post in wrong:
        post.score = voting().score(post.posted_at, post.up - post.down)
    Post.objects.bulk_update(wrong, ["up", "down", "score"], batch_size=200)


@transaction.atomic
def recount_comments(comment_ids: Collection[int]) -> None:
    """Make what SQL counts of comments what their archived votes are; as for posts."""
    comments = list(Comment.objects.select_for_update().filter(pk__in=comment_ids).order_by("pk"))
    cast = ArchivedVote.objects.filter(
        post_id__in={comment.post_id for comment in comments}, comment_id__in=comment_ids
    )
    voters = by_vote(
        cast.values_list("comment_id", "user_id", "vote"),
        {comment.pk: comment.author_id for comment in comments},
    )
    wrong = [comment for comment in comments if _corrected(comment, voters[comment.pk])]
    Comment.objects.bulk_update(wrong, ["up", "down"], batch_size=200)


def _corrected(target: Post | Comment, voters: dict[Vote, list[int]]) -> bool:
    """Give a target the sums of its voters; say whether it had others."""
    counted = len(voters[Vote.UP]), len(voters[Vote.DOWN])
    if (target.up, target.down) == counted:
        return False
    target.up, target.down = counted
    return True
