"""Lists for daily readers: unread posts, unanswered questions, and missed posts."""

from datetime import UTC, datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from forum.identity.viewers import viewer, viewer_id
from forum.queries import reading_lists
from forum.queries.listings import Listing
from forum.web import addresses, ages, listing_pages
from forum.web.addresses import ListingAddress
from forum.web.guest_pages import cached_for_guests
from forum.web.login_required import to_log_in
from forum.web.methods import require_safe
from voting.types import Hiding

FIRST_VISIT = timedelta(days=1)
"""A person without an earlier visit sees the best posts of this time."""


@require_safe
def unread(request: HttpRequest) -> HttpResponse:
    """Show the posts that the viewer hasn't opened, and threads with comments since then."""
    reader = viewer(request)
    if reader is None:
        return to_log_in(request)
    reader_id = reader.id

    def find(address: ListingAddress, _hiding: Hiding | None) -> Listing:
        return reading_lists.unread(reader_id, address.number, cursor=address.cursor)

    return listing_pages.respond(
        request,
        "unread.html",
        base=addresses.of("unread"),
        family="",
        find=find,
        keeps_history=reader.keeps_history,
        nav="unread",
    )


@require_safe
@cached_for_guests
def unanswered(request: HttpRequest) -> HttpResponse:
    """Show the questions without answers."""
    asking = viewer_id(request)

    def find(address: ListingAddress, _hiding: Hiding | None) -> Listing:
        return reading_lists.unanswered(asking, address.number, cursor=address.cursor)

    return listing_pages.respond(
        request,
        "unanswered.html",
        base=addresses.of("unanswered"),
        family="",
        find=find,
        nav="unanswered",
    )


@require_safe
def missed(request: HttpRequest) -> HttpResponse:
    """Show the best posts since the viewer's last visit."""
    reader = viewer(request)
    if reader is None:
        return to_log_in(request)
    reader_id, ended = reader.id, reader.last_visit
    since = datetime.fromtimestamp(ended, UTC) if ended else timezone.now() - FIRST_VISIT

    def find(address: ListingAddress, _hiding: Hiding | None) -> Listing:
        return reading_lists.best_since(since, reader_id, address.number, cursor=address.cursor)

    return listing_pages.respond(
        request,
        "missed.html",
        base=addresses.of("missed"),
        family="",
        find=find,
        age=ages.since(since) if ended else "",
        nav="missed",
    )
