"""Lists of posts."""

from django.conf import settings
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router

from forum.api import schemas, serializers
from forum.api.lookups import find_person
from forum.api.operations import READS, link_next, next_page
from forum.api.parameters import After, Before, Day, Family, Name, PageNumber, Period
from forum.identity.viewers import viewer, viewer_id
from forum.queries import days, hosts
from forum.queries.listings import Listing, listing
from forum.queries.people import posts_after, profile_state, with_unsynced
from forum.text import terms
from forum.web import addresses, group_addresses
from forum.web.addresses import ListingAddress
from forum.web.muting import without_muted
from voting.types import Hiding, Mix

router = Router(tags=["Lists"])


@router.get("/lists/{order}", response=schemas.Posts, openapi_extra=READS)
def site_list(
    request: HttpRequest, order: Family, t: Period = None, p: PageNumber = 1, after: After = ""
) -> schemas.Posts:
    """Return a page of the site's posts."""
    return _list(request, order, None)


@router.get("/groups/{expr}/lists/{order}", response=schemas.Posts, openapi_extra=READS)
def group_list(
    request: HttpRequest,
    expr: Name,
    order: Family,
    t: Period = None,
    p: PageNumber = 1,
    after: After = "",
) -> schemas.Posts:
    """Return a page of the posts of a group, or of groups combined with `+`, `&` or `~`."""
    return _list(request, order, group_addresses.find(expr).parsed)


@router.get("/sites/{host}/lists/{order}", response=schemas.Posts, openapi_extra=READS)
def site_posts(
    request: HttpRequest,
    host: Name,
    order: Family,
    t: Period = None,
    p: PageNumber = 1,
    after: After = "",
) -> schemas.Posts:
    """Return a page of the posts that link to a host, with or without "www."."""
    known = terms.host_of(host)
    if not known:
        raise Http404("no such host")
    address = addresses.read("", order, request.GET)
    found = hosts.listing_of_host(
        known,
        address.order,
        p,
        direction=address.direction,
        viewer_id=viewer_id(request),
        cursor=address.cursor,
    )
    return _page(request, found, address)


@router.get("/days/{day}", response=schemas.Posts, openapi_extra=READS)
def best_of_day(
    request: HttpRequest, day: Day, p: PageNumber = 1, after: After = ""
) -> schemas.Posts:
    """Return a page of the best posts of a day, in their order at the end of the day (UTC)."""
    if day > days.today():
        raise Http404("a day to come")
    address = addresses.read("", "", request.GET)
    found = days.listing_of_day(
        day, address.number, viewer_id=viewer_id(request), cursor=address.cursor
    )
    return _page(request, found, address)


@router.get("/people/{username}/posts", response=schemas.Posts, openapi_extra=READS)
def posts_of_person(request: HttpRequest, username: Name, before: Before = None) -> schemas.Posts:
    """Return a page of a person's posts, newest first: those below the post `before`."""
    found = find_person(username)
    last = get_object_or_404(found.posts, pk=before) if before else None
    ids, more = posts_after(found, last), False
    if len(ids) > settings.PAGE_SIZE:
        ids, more = ids[: settings.PAGE_SIZE], True
    rows = with_unsynced(ids, profile_state(found, viewer_id(request), ids).rows)
    return schemas.Posts(
        items=[serializers.post(row) for row in rows],
        next=next_page(request, before=ids[-1]) if more else None,
    )


def _list(request: HttpRequest, order: Family, group: str | Mix | None) -> schemas.Posts:
    """Return the same page of posts that the site would show to the viewer."""
    person = viewer(request)
    address = addresses.read("", order, request.GET)
    found = listing(
        address.order,
        address.number,
        group=group,
        viewer_id=person.id if person else None,
        direction=address.direction,
        cursor=address.cursor,
        hiding=Hiding(read=person.hides_read) if person else None,
    )
    return _page(request, found, address)


def _page(request: HttpRequest, found: Listing, address: ListingAddress) -> schemas.Posts:
    page, _muted = without_muted(found.page, viewer(request))
    following = address.url(address.number + 1, page.last).partition("?")[2]
    return schemas.Posts(
        items=[serializers.post(row) for row in page.rows],
        next=link_next(request, following) if page.more else None,
    )
