"""Corrects vote counts in SQL.

Redis may lose some votes on a post or comment, and then count a new vote without the lost votes.
When Redis's count is copied to SQL, the count in SQL becomes too low.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from forum.ledger import entries, starting_points, vote_value
from forum.models import ArchivedVote, Comment, Post, VoteState
from forum.queries.batches import batches, each_pk
from voting.types import Vote

Counted = TypeVar("Counted", Post, Comment)


def recount_all(progress: Callable[[int], object] | None = None) -> None:
    """Correct the vote counts of all posts and comments in SQL, including deleted ones.

    Calls `progress` with the size of each batch.
    """
    for model, recount in ((Post, recount_posts), (Comment, recount_comments)):
        for ids in batches(each_pk(model.objects.all())):
            recount(ids)
            if progress is not None:
                progress(len(ids))


@transaction.atomic
def recount_posts(post_ids: Collection[int]) -> None:
    """Correct vote counts and starting points of posts in SQL, and compute their current scores."""
    rows = Post.objects.select_for_update(no_key=True).filter(pk__in=post_ids).order_by("pk")
    posts = list(rows.only("created_at", "up", "down", "starting_points", "score"))
    _correct_starting_points(posts)
    cast = ArchivedVote.objects.filter(post_id__in=post_ids, comment_id=0)
    authors = Post.objects.filter(pk=OuterRef("post_id")).values("author_id")
    wrong = {post.pk: post for post in _corrected(posts, _sums(cast, "post_id", Subquery(authors)))}
    score_of = vote_value.scoring()
    for post in posts:
        score = score_of(post.posted_at, post.points)
        if post.score != score:
            post.score = score
            wrong[post.pk] = post
    entries.write_posts([(post.pk, post.up, post.down, post.score) for post in wrong.values()])


@transaction.atomic
def recount_comments(comment_ids: Collection[int]) -> None:
    """Correct vote counts of comments in SQL."""
    rows = Comment.objects.select_for_update(no_key=True).filter(pk__in=comment_ids).order_by("pk")
    comments = list(rows.only("post", "up", "down"))
    cast = ArchivedVote.objects.filter(
        post_id__in={comment.post_id for comment in comments}, comment_id__in=comment_ids
    )
    authors = Comment.objects.filter(pk=OuterRef("comment_id")).values("author_id")
    wrong = _corrected(comments, _sums(cast, "comment_id", Subquery(authors)))
    entries.write_comments([(comment.pk, comment.up, comment.down) for comment in wrong])


def _correct_starting_points(posts: Sequence[Post]) -> None:
    sums = starting_points.sums([post.pk for post in posts])
    wrong = [post for post in posts if post.starting_points != sums.get(post.pk, 0)]
    for post in wrong:
        post.starting_points = sums.get(post.pk, 0)
    Post.objects.bulk_update(wrong, ["starting_points"])


def _sums(cast: QuerySet[ArchivedVote], on: str, author: Subquery) -> dict[int, tuple[int, int]]:
    """Map the id of each post or comment to its numbers of up votes and down votes.

    If an author has no archived vote on their own post or comment, counts an up vote by the author.
    One query, so that an author's vote isn't counted twice if it is archived meanwhile.
    """
    sums = cast.values_list(on).annotate(
        ups=Count("pk", filter=Q(vote=Vote.UP, state=VoteState.COUNTED)),
        downs=Count("pk", filter=Q(vote=Vote.DOWN, state=VoteState.COUNTED)),
        own=Count("pk", filter=Q(user_id=author)),
    )
    return {pk: (ups if own else ups + 1, downs) for pk, ups, downs, own in sums}


def _corrected(targets: Sequence[Counted], sums: dict[int, tuple[int, int]]) -> list[Counted]:
    """Correct the vote counts of posts or comments; return those that had wrong counts.

    If an author hasn't voted on their own post or comment, counts an up vote by the author.
    """
    wrong = []
    for target in targets:
        counted = sums.get(target.pk, (1, 0))
        if (target.up, target.down) != counted:
            target.up, target.down = counted
            wrong.append(target)
    return wrong
