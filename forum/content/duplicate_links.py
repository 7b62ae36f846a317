"""Somebody posts an address that is here already: they are led there, which counts as a vote."""

from datetime import timedelta
from enum import StrEnum

from django.db import connection
from django.utils import timezone

from forum.gateway.service import get_voting_service
from forum.models import Post
from forum.text import links
from voting.errors import StoreUnavailable, Throttled, UnknownTarget, VotingClosed
from voting.types import Target, Vote
from voting.types.limits import RateLimit

AGE = timedelta(days=30)
"""How long an address leads to the post that has it."""


class Known(Exception):
    """The address is here already: `post` has it."""

    def __init__(self, post: Post) -> None:
        super().__init__()
        self.post = post


class Arrival(StrEnum):
    """What became of the vote of a person who was led to a post."""

    COUNTED = "counted"
    VOTED_BEFORE = "voted before"
    CLOSED = "closed"
    TOO_FAST = "too fast"
    UNCOUNTED = "uncounted"


def find(url: str, *, besides: int | None = None) -> Post | None:
    """Return the newest post of the last 30 days with the same address, other than the post
    `besides`. One query.
    """
    key = links.key(url) if url else ""
    recent = Post.objects.visible().filter(url_key=key, created_at__gt=timezone.now() - AGE)
    recent = recent.exclude(pk=besides) if besides else recent
    return recent.order_by("-created_at", "-pk").first() if key else None


def refuse(url: str, *, besides: int | None = None) -> None:
    """Raise Known if another post has the address, also one of this moment. Call it within the
    transaction that posts the address.
    """
    if url:
        _wait_for_others(links.key(url))
    if known := find(url, besides=besides):
        raise Known(known)


def set_address(post: Post, url: str) -> tuple[str, ...]:
    """Give a link another address; return the fields to save. Raises Known, see `refuse`."""
    refuse(url, besides=post.pk)
    post.url, post.url_key = url, links.key(url)
    return ("url", "url_key")


def _wait_for_others(key: str) -> None:
    """Until the transaction ends, nobody else posts the same address.

    SQLite lets one write at a time, from the beginning of a transaction.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])


def arrive(user_id: int, post: Post, pace: RateLimit) -> Arrival:
    """Vote the post up for a person who has no vote there, if voting is open.

    Two round trips at most. Never raises: leading there is what matters.
    """
    try:
        row, _standing = get_voting_service().posts.get(post.pk, viewer=user_id)
        if row.vote is None:
            return Arrival.CLOSED
        if row.vote is not Vote.NONE:
            return Arrival.VOTED_BEFORE
        get_voting_service().votes.cast(user_id, Target(post.pk), Vote.UP, limit=pace)
    except VotingClosed:
        return Arrival.CLOSED
    except Throttled:
        return Arrival.TOO_FAST
    except (StoreUnavailable, UnknownTarget):
        return Arrival.UNCOUNTED
    return Arrival.COUNTED
