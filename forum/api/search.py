"""Search."""

from typing import Annotated

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from forum.api import schemas
from forum.api.auth import caller
from forum.api.operations import READS, next_page
from forum.api.parameters import PageNumber
from forum.api.serializers import absolute
from forum.identity.viewers import viewer, viewer_id
from forum.search import results, services
from forum.search.parser import LONGEST
from forum.search.queries import Order

router = Router(tags=["Search"])


@router.get("/search", response=schemas.Hits, openapi_extra=READS)
def search(
    request: HttpRequest,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST)],
    order: Order = Order.RELEVANCE,
    p: PageNumber = 1,
) -> schemas.Hits:
    """Return a page of search results. The site's search page lists the search operators."""
    found = services.search(q, by=caller(request), viewer_id=viewer_id(request), order=order)
    hits, size = found.matches.hits, settings.PAGE_SIZE
    now = int(timezone.now().timestamp())
    loaded = results.load(hits[(p - 1) * size : p * size], found.query.words, now)
    return schemas.Hits(
        items=[
            schemas.Hit(
                kind="comment" if one.is_comment else "post",
                id=one.id,
                post=one.post_id,
                title=one.plain_title,
                url=absolute(one.address),
                excerpt=one.excerpt,
                author=one.author,
                created_at=one.posted_at,
                points=one.points,
            )
            for one in results.without_muted(loaded, viewer(request))
        ],
        total=len(hits),
        not_understood=list(found.query.unknown),
        next=next_page(request, p=p + 1) if len(hits) > p * size else None,
    )
