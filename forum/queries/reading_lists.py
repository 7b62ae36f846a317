"""Reads lists for daily readers: unread posts, unanswered questions, and the best since a time."""

from datetime import datetime

from django.db.models import Exists, OuterRef

from forum.models import Comment, Post
from forum.queries.listings import (
    DEEPEST,
    Listing,
    listing,
    listing_of_scores,
    without_hidden,
)
from voting.types import Cursor, Hiding, Order

QUESTIONS = 1_000
"""How many of the newest questions are checked for answers."""


def unread(viewer_id: int, number: int, *, cursor: Cursor | None = None) -> Listing:
    """Return a page of posts that a person hasn't opened, or that have new comments since then.

    The posts with the newest activity come first. Redis remembers the posts that a person opened
    last, see `MAX_VIEWED`. One round trip, and at most one query. While Redis is unavailable, three
    queries, and read posts are listed too.
    """
    hiding = Hiding(read=True)
    return listing(Order.ACTIVE, number, viewer_id=viewer_id, cursor=cursor, hiding=hiding)


def unanswered(viewer_id: int | None, number: int, *, cursor: Cursor | None = None) -> Listing:
    """Return a page of questions without answers, newest first.

    Only the newest `QUESTIONS` questions count, so that the cost doesn't grow with the site. One
    query, and one round trip for the rows. While Redis is unavailable, three queries.
    """
    questions = Post.objects.visible().filter(kind=Post.Kind.QUESTION)
    newest = questions.order_by("-created_at", "-pk").values("pk")[:QUESTIONS]
    answers = Comment.objects.visible().filter(post_id=OuterRef("pk"), is_answer=True)
    open_questions = Post.objects.filter(~Exists(answers), pk__in=newest, accepted=None)
    times = without_hidden(open_questions, viewer_id).values_list("created_at", "pk")
    scores = [(posted.timestamp(), pk) for posted, pk in times]
    return listing_of_scores(scores, number, viewer_id=viewer_id, cursor=cursor)


def best_since(
    since: datetime, viewer_id: int, number: int, *, cursor: Cursor | None = None
) -> Listing:
    """Return a page of the posts since a time, with the most points first.

    Only the newest `DEEPEST` of these posts count. One query, and one round trip for the rows.
    While Redis is unavailable, three queries.
    """
    posts = without_hidden(Post.objects.visible().filter(created_at__gt=since), viewer_id)
    counts = posts.order_by("-created_at", "-pk").values_list("up", "down", "starting_points", "pk")
    scores = [(up - down + start, pk) for up, down, start, pk in counts[:DEEPEST]]
    return listing_of_scores(scores, number, viewer_id=viewer_id, cursor=cursor)
