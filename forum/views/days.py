"""The best posts of a day or a week, by their points at the end of each day."""

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from forum.identity.viewers import viewer_id
from forum.queries import days
from forum.queries.days import DAY
from forum.queries.listings import Listing
from forum.web import addresses, listing_pages
from forum.web.addresses import ListingAddress
from forum.web.guest_pages import cached_for_guests
from forum.web.methods import require_safe
from voting.types import Hiding


@require_safe
def yesterday(_request: HttpRequest) -> HttpResponse:
    """Redirect to the newest day that is over."""
    return redirect("day", days.today() - DAY)


@require_safe
@cached_for_guests
def day(request: HttpRequest, day: date) -> HttpResponse:
    """Show the best posts of a day.

    Raises Http404 for days before the first post, and for days to come.
    """
    first, today = _period()
    if not first <= day <= today:
        raise Http404("no posts on this day")

    def find(address: ListingAddress, _hiding: Hiding | None) -> Listing:
        return days.listing_of_day(
            day,
            address.number,
            viewer_id=viewer_id(request),
            cursor=address.cursor,
            size=days.FEW,
        )

    return listing_pages.respond(
        request,
        "day.html",
        base=addresses.of("day", day),
        family="",
        find=find,
        day=day,
        before=day - DAY if day > first else None,
        after=day + DAY if day < today else None,
        monday=day - DAY * day.weekday(),
        final=days.is_finished(day),
        nav="day",
    )


@require_safe
@cached_for_guests
def week(request: HttpRequest, monday: date) -> HttpResponse:
    """Show the best posts of a week, and links to its days.

    Raises Http404 for weeks before the first post, and for weeks to come.
    """
    first, today = _period()
    if monday > today or monday + 6 * DAY < first:
        raise Http404("no posts in this week")

    def find(address: ListingAddress, _hiding: Hiding | None) -> Listing:
        return days.listing_of_week(
            monday, address.number, viewer_id=viewer_id(request), cursor=address.cursor
        )

    all_days = (monday + DAY * number for number in range(7))
    return listing_pages.respond(
        request,
        "week.html",
        base=addresses.of("week", monday),
        family="",
        find=find,
        monday=monday,
        days=tuple(one for one in all_days if first <= one <= today),
        before=monday - 7 * DAY if monday > first else None,
        after=monday + 7 * DAY if monday + 7 * DAY <= today else None,
        nav="day",
    )


def _period() -> tuple[date, date]:
    """Return the day of the first post and today. Raises Http404 if there are no posts."""
    first = days.first_day()
    if first is None:
        raise Http404("no posts")
    return first, days.today()
