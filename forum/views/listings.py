"""The front page and the site's other listings."""

from django.http import HttpRequest, HttpResponse

from forum.rendering import listing_pages
from forum.rendering.guest_pages import cached_for_guests
from forum.web import addresses
from forum.web.methods import require_safe


@require_safe
@cached_for_guests
def front(request: HttpRequest) -> HttpResponse:
    """Show what is hot."""
    return _listing(request, "hot")


@require_safe
@cached_for_guests
def listing(request: HttpRequest, order: str) -> HttpResponse:
    """Show what is new, active or most viewed, or the top of a span of time."""
    return _listing(request, order)


def _listing(request: HttpRequest, family: str) -> HttpResponse:
    base = addresses.of("front")
    return listing_pages.respond(request, "listing.html", base=base, family=family, nav=family)
