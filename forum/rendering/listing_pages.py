"""Responds to requests for listings.

The rows differ from request to request, but the page around the rows is mostly the same. So the
page without rows is cached as a frame, and each response puts its rows into the frame.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.identity.viewers import Viewer, viewer
from forum.inbox import unread
from forum.queries.listings import Listing, listing
from forum.rendering import caches, rows
from forum.rendering.muting import without_muted
from forum.staff.owner_texts.queries import written
from forum.staff.pins.queries import pinned_in
from forum.web import addresses, queue_count
from forum.web.not_found import NoSuchPage
from voting.types import Direction, Hiding, Mix, Order, Page

ITEMS = b"\x1b"
"""Placeholder for the rows in a frame."""
PINS = b"\x1e"
"""Placeholder for the pinned rows in a frame."""
CSRF = b"\x1d"
"""Placeholder in a frame for the CSRF token, which differs in each response."""

FindPage = Callable[[addresses.ListingAddress, Hiding | None], Listing]
"""A function that reads one page of a listing, without posts that the viewer hides."""


def respond(
    request: HttpRequest,
    template: str,
    *,
    base: str,
    family: str,
    group: str | Mix | None = None,
    find: FindPage | None = None,
    **context: Hashable,
) -> HttpResponse:
    """Return a page of a listing. Raises NoSuchPage if the page doesn't exist.

    Pass `find` to show a special listing, such as a feed of followed people and groups.
    """
    address = addresses.read(base, family, request.GET)
    person = viewer(request)
    found = _found(address, person, group, find)
    address = _reached(address, found.page)
    page, muted = without_muted(found.page, person)
    here = request.get_full_path()
    items = rows.render_items(
        page.rows,
        request,
        member=person is not None,
        redis_down=found.redis_down,
        views=address.order is Order.VIEWS and not found.redis_down,
        active=address.order is Order.ACTIVE,
        blocked=person.blocked if person else (),
    )
    pins = rows.render_pinned(page.pinned, request, member=person is not None)
    surroundings = replace(page, rows=(), pinned=())
    context |= {"address": address, "page": surroundings, "redis_down": found.redis_down}
    identity = written.get().identity
    context |= {"muted": muted, "suggestions": found.suggestions, "identity": identity}
    _know_unread(request, found)
    if len(get_messages(request)):
        shown = {"items": SafeString(items.decode()), "pins": SafeString(pins.decode())}
        return render(request, template, context | shown)
    waiting = unread.shown(request)
    filled = bool(items), bool(pins)
    context["queue_count"] = queue_count.shown(request)
    frame = _frame(template, person, here, filled, waiting, get_language(), **context)
    if person is not None:
        frame = frame.replace(CSRF, get_token(request).encode())
    return HttpResponse(frame.replace(ITEMS, items).replace(PINS, pins))


def _know_unread(request: HttpRequest, found: Listing) -> None:
    """If the viewer's number of unread items was read with a listing, store it in the request.

    While Redis is down, stores None.
    """
    if found.page.unread is not None or found.redis_down:
        unread.know(request, found.page.unread)


def _reached(address: addresses.ListingAddress, page: Page) -> addresses.ListingAddress:
    """Return the page's address, with the last page's number if the number is too high.

    The number can become too high if posts are deleted while somebody turns pages. Raises
    NoSuchPage if the address has a cursor and no rows are left after it, or if the address has no
    cursor and its number is too high.
    """
    rows_left = page.rows or page.last
    if address.number > page.pages and not (address.cursor and rows_left):
        raise NoSuchPage(page.pages, address.url(page.pages))
    if address.cursor and not rows_left:
        raise NoSuchPage(page.pages, address.url(page.pages))
    return replace(address, number=min(address.number, page.pages))


def _found(
    address: addresses.ListingAddress,
    person: Viewer | None,
    group: str | Mix | None,
    find: FindPage | None,
) -> Listing:
    hiding = Hiding(read=person.hides_read) if person else None
    if find is not None:
        return find(address, hiding)
    hot = address.order is Order.HOT and address.direction is Direction.DESC
    pinned = pinned_in(group) if hot and not isinstance(group, Mix) else ()
    return listing(
        address.order,
        address.number,
        group=group,
        viewer_id=person.id if person else None,
        direction=address.direction,
        cursor=address.cursor,
        hiding=hiding,
        pinned=pinned,
    )


@caches.FRAMES.remember
def _frame(
    template: str,
    person: Viewer | None,
    here: str,
    filled: tuple[bool, bool],
    waiting: int | None,
    language: str | None,
    **context: Hashable,
) -> bytes:
    """Render a page without its rows. The active `language` is part of the cache key."""
    shown = {
        "site_name": settings.SITE_NAME,
        "viewer": person,
        "here": here,
        "csrf_token": CSRF.decode(),
        "unread": waiting,
    }
    for name, mark, is_there in zip(("items", "pins"), (ITEMS, PINS), filled, strict=True):
        shown[name] = SafeString(mark.decode() * is_there)
    return render_to_string(template, {**context, **shown}).encode()
