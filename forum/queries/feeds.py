"""Reads a person's feed from Redis, or from SQL while Redis is unavailable."""

from dataclasses import replace
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from forum.models import GroupFollow, PersonFollow, Post
from forum.queries.listings import Listing, newest_page, with_own_votes
from forum.queries.social import worth_following
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types import Cursor, Hiding, Page

MORE = 3
"""How many people to load for each suggestion. People whom the viewer already follows or blocks
are then left out.
"""
RECENT = timedelta(days=30)
"""While Redis is unavailable, the feed has no posts older than this."""


def feed(
    viewer_id: int,
    number: int,
    *,
    cursor: Cursor | None = None,
    hiding: Hiding | None = None,
    suggested: int = 0,
) -> Listing:
    """Return a page of a person's feed in `hot` order, and up to `suggested` people to follow.

    Two round trips, and three queries for suggestions. One more query if some of the person's votes
    are only in SQL. While Redis is unavailable: four queries, and the newest posts come first.
    """
    try:
        sources = get_voting_service().follows.feed_sources(viewer_id)
        page = get_voting_service().listings.feed(
            viewer_id, number, sources, cursor=cursor, hiding=hiding, suggested=MORE * suggested
        )
    except StoreUnavailable:
        return Listing(with_own_votes(_newest(viewer_id, number), viewer_id), redis_down=True)
    return Listing(
        with_own_votes(page, viewer_id),
        redis_down=False,
        suggestions=worth_following(viewer_id, page.suggestions, suggested) if suggested else (),
    )


def _newest(viewer_id: int, number: int) -> Page:
    """Return the newest posts of the feed from SQL, at most 30 days old. Three queries."""
    people = PersonFollow.objects.filter(follower=viewer_id).values("person")
    groups = GroupFollow.objects.filter(follower=viewer_id).values("group")
    places = Post.groups.through.objects.filter(post_id=OuterRef("pk"), group__in=groups)
    among = Q(author__in=people) | Q(Exists(places))
    since = timezone.now() - RECENT
    posts = Post.objects.visible().filter(among, created_at__gt=since)
    return replace(newest_page(posts, number), last=None)  # a cursor by time can't continue `hot`
