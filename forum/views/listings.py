"""The front page, the site's other listings, and a person's feed."""

from django.http import HttpRequest, HttpResponse

from forum.identity.viewers import Viewer, viewer
from forum.queries import days
from forum.queries.days import BestPost
from forum.queries.feeds import feed
from forum.queries.groups import directory
from forum.queries.listings import Listing
from forum.web import addresses, listing_pages
from forum.web.addresses import ListingAddress
from forum.web.guest_pages import cached_for_guests
from forum.web.login_required import to_log_in
from forum.web.methods import require_safe
from forum.web.muting import is_unwanted
from voting.types import Hiding

TOPICS_SHOWN = 30
SUGGESTED = 10


@require_safe
@cached_for_guests
def front(request: HttpRequest) -> HttpResponse:
    """Show the site's posts in `hot` order, on the front page."""
    return _listing(request, "hot")


@require_safe
@cached_for_guests
def listing(request: HttpRequest, order: str) -> HttpResponse:
    """Show the site's posts in another order than `hot`."""
    return _listing(request, order)


def _listing(request: HttpRequest, family: str) -> HttpResponse:
    return listing_pages.respond(
        request,
        "listing.html",
        base=addresses.of("front"),
        family=family,
        yesterday=_best_of_yesterday(viewer(request)),
        nav=family,
    )


def _best_of_yesterday(person: Viewer | None) -> tuple[BestPost, ...]:
    """Return the best posts of yesterday, except those that the viewer mutes or blocks."""
    best = days.best_of_yesterday.get()
    if person is None:
        return best
    return tuple(one for one in best if not is_unwanted(one.card, person))


@require_safe
def following(request: HttpRequest) -> HttpResponse:
    """Show the viewer's feed, and suggestions of people to follow."""
    reader = viewer(request)
    if reader is None:
        return to_log_in(request)
    reader_id, first = reader.id, "p" not in request.GET

    def find(address: ListingAddress, hiding: Hiding | None) -> Listing:
        return feed(
            reader_id,
            address.number,
            cursor=address.cursor,
            hiding=hiding,
            suggested=SUGGESTED if first else 0,
        )

    return listing_pages.respond(
        request,
        "following.html",
        base=addresses.of("following"),
        family="hot",
        find=find,
        topics=tuple(directory.topics().values())[:TOPICS_SHOWN],
        nav="following",
    )
