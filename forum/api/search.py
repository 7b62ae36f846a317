"""Search."""

from typing import Annotated

from django.conf import settings
from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Query, Router

from forum.api import schemas
from forum.api.auth import caller
from forum.api.operations import READS, next_page
from forum.api.parameters import PageNumber
from forum.api.serializers import absolute
from forum.identity.viewers import viewer, viewer_id
from forum.models.deleted_names import name_for_programs
from forum.search import results, services
from forum.search.parser import LONGEST
from forum.search.queries import Order, Place
from forum.web import score_addresses

router = Router(tags=["Search"])
NUMBER = score_addresses.NUMBER.pattern
AfterHit = Annotated[
    str,
    Query(
        pattern=f"^({NUMBER}|[0-9a-f]{{48}})_{NUMBER}_[0-9]{{1,18}}_[0-9]{{1,18}}$",
        max_length=100,
        description="From the address of the next page.",
    ),
]


@router.get("/search", response=schemas.Hits, openapi_extra=READS)
def search(
    request: HttpRequest,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST)],
    order: Order = Order.RELEVANCE,
    p: PageNumber = 1,
    after: AfterHit = "",
) -> schemas.Hits:
    """Return a page of search results. The site's search page lists the search operators."""
    found = services.search(q, by=caller(request), viewer_id=viewer_id(request), order=order)
    hits, size = found.matches.hits, settings.PAGE_SIZE
    start = (p - 1) * size
    if after:
        last = _place(after)
        start = sum(hit.place(order) >= last for hit in hits)
    page = hits[start : start + size]
    loaded = results.load(page, found.query.words, int(timezone.now().timestamp()))
    return schemas.Hits(
        items=[
            schemas.Hit(
                kind="comment" if one.is_comment else "post",
                id=one.id,
                post=one.post_id,
                title=one.plain_title,
                url=absolute(one.address),
                excerpt=one.excerpt,
                author=name_for_programs(one.author),
                created_at=one.posted_at,
                points=one.points,
                merged_into=one.merged_into.pk if one.merged_into else None,
            )
            for one in results.without_muted(loaded, viewer(request))
        ],
        total=len(hits),
        not_understood=list(found.query.unknown),
        next=_next(request, p + 1, page[-1].place(order)) if hits[start + size :] else None,
    )


def _place(after: str) -> Place:
    """Return the place of the last hit of the previous page. Raises Http404 if it is invalid."""
    text, at, *ids = after.split("_")
    post_id, comment_id = map(int, ids)
    score = score_addresses.read(text, post_id, comment_id)
    if score is None:
        raise Http404("no such page")
    return score, float(at), post_id, comment_id


def _next(request: HttpRequest, number: int, place: Place) -> str:
    """Return the address of the next page, which starts after a place.

    So it neither repeats nor skips hits if texts are written or deleted meanwhile.
    """
    score, at, *ids = place
    after = (score_addresses.write(score, *ids), repr(at), *map(str, ids))
    return next_page(request, p=number, after="_".join(after))
