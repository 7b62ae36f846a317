"""Finds links that were posted recently. Submitting such a link votes for the older post."""

from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum

from django.db import connection
from django.utils import timezone

from forum.actions.votes import cast
from forum.errors import Duplicate, VotingUnavailable
from forum.identity.viewers import Viewer
from forum.models import Post
from forum.queries.merged_posts import surviving
from forum.store.service import get_voting_service
from forum.text import links, terms
from voting.errors import StoreUnavailable, Throttled, UnknownTarget, VotingClosed
from voting.types import Target, Vote

AGE = timedelta(days=30)
"""A new post is a duplicate if another post with the same link is at most this old."""


class DuplicateVote(StrEnum):
    """The result of voting for the older post that has a submitted link."""

    COUNTED = "counted"
    WAITING = "waiting"  # the vote doesn't count yet, or not any more
    VOTED_BEFORE = "voted before"
    CLOSED = "closed"
    THROTTLED = "throttled"
    UNCOUNTED = "uncounted"


def find(url: str, *, besides: int | None = None) -> Post | None:
    """Return the newest post with this link from the last 30 days, or None.

    Ignores the post whose id is `besides`. If the newest post was merged into another post, returns
    the post that remains.
    """
    if not url:
        return None
    recent = Post.objects.listed().filter(
        url_key=links.key(url), created_at__gt=timezone.now() - AGE
    )
    for found in recent.order_by("-created_at", "-pk"):
        remaining = surviving(found)
        if remaining.pk != besides and not remaining.deleted_at:
            return remaining
    return None


def refuse_duplicate(url: str, *, besides: int | None = None) -> None:
    """Raise Duplicate if a recent post other than `besides` has this link.

    Call this in the transaction that saves the link. The link is locked until the transaction ends,
    so that nobody else can post the link meanwhile.
    """
    if url:
        _lock(links.key(url))
    if duplicate := find(url, besides=besides):
        raise Duplicate(duplicate)


def set_address(post: Post, url: str) -> tuple[str, ...]:
    """Change the URL of a link post; return the names of the fields to save. Raises Duplicate."""
    refuse_duplicate(url, besides=post.pk)
    fields = address_fields(url)
    post.url, post.url_key, post.host = fields.values()
    return tuple(fields)


def address_fields(url: str) -> dict[str, str]:
    """Return the fields of a post that depend on its URL; all are "" if the URL is empty."""
    return {"url": url, "url_key": links.key(url) if url else "", "host": terms.host_of(url)}


def _lock(key: str) -> None:
    """Lock a link until the transaction ends. Not needed on SQLite, which has a single writer."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])


def vote_for(post: Post, voter: Viewer, *, network: Callable[[], str]) -> DuplicateVote:
    """Vote up the older post that has a submitted link, unless the person already voted on it.

    `network` returns a hash of the voter's network. Raises Banned or NotAccepted if the voter isn't
    allowed to vote. If voting fails for another reason, returns the reason, so that the page can
    still show the older post.
    """
    try:
        row, _standing = get_voting_service().posts.get(post.pk, viewer=voter.id)
        if row.vote is None:
            return DuplicateVote.CLOSED
        if row.vote is not Vote.NONE:
            return DuplicateVote.VOTED_BEFORE
        ballot = cast(voter, Target(post.pk), Vote.UP, network=network)
    except VotingClosed:
        return DuplicateVote.CLOSED
    except Throttled:
        return DuplicateVote.THROTTLED
    except (StoreUnavailable, VotingUnavailable, UnknownTarget):
        return DuplicateVote.UNCOUNTED
    return DuplicateVote.COUNTED if ballot.counts_at is None else DuplicateVote.WAITING
