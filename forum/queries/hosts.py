"""Reads the posts that link to one host."""

from django.db.models import QuerySet

from forum.models import Post
from forum.queries.listings import Listing, listing_of, without_hidden
from forum.queries.merged_posts import with_merged
from voting.types import Cursor, Direction, Order


def posts_of(host: str) -> QuerySet[Post]:
    """Return the posts that link to a host, with merged posts, unordered."""
    return Post.objects.listed().filter(host=host)


def listing_of_host(
    host: str,
    order: Order,
    number: int,
    *,
    viewer_id: int | None = None,
    direction: Direction = Direction.DESC,
    cursor: Cursor | None = None,
) -> Listing:
    """Return a page of the posts that link to a host, without posts that the viewer hides.

    Rows of merged posts lead to the posts that remain. One query and one round trip, and more
    queries if the page has merged posts.
    """
    return listing_of(
        without_hidden(posts_of(host), viewer_id),
        order,
        number,
        viewer_id=viewer_id,
        direction=direction,
        cursor=cursor,
        complete=with_merged,
    )
