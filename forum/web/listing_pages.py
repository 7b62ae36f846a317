"""Responds to requests for listings.

The rows differ from request to request, but the page around the rows is mostly the same. So the
page without rows is cached as a frame, and each response puts its rows into the frame.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.actions import unread
from forum.identity.viewers import Viewer, viewer
from forum.queries.listings import Listing, listing
from forum.queries.owner_texts import written
from forum.queries.pins import pinned_in
from forum.web import addresses, caches, display, queue_count, rows
from forum.web.muting import without_muted
from forum.web.not_found import NoSuchPage
from forum.web.placeholders import CSRF, ITEMS, PINS
from voting.types import Direction, Hiding, Mix, Order, Page

PARTS = {"items": ITEMS, "pins": PINS}
"""The parts of a page that aren't in its frame, and their placeholders."""

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
    person, address = viewer(request), addresses.read(base, family, request.GET)
    result = _load(address, person, group, find)
    address = _reached(address, result.page)
    page, muted = without_muted(result.page, person)
    _know_unread(request, result)
    slug = group if isinstance(group, str) else ""
    parts = _render_rows(request, replace(result, page=page), address, slug)
    context |= {
        "address": address,
        "page": replace(page, rows=(), pinned=()),
        "redis_down": result.redis_down,
        "muted": muted,
        "suggestions": result.suggestions,
        "identity": written.get().identity,
    }
    if len(get_messages(request)):
        whole = {name: SafeString(html.decode()) for name, html in parts.items()}
        return render(request, template, context | whole)
    return HttpResponse(_fill_frame(request, template, parts, context))


def _render_rows(
    request: HttpRequest, result: Listing, address: addresses.ListingAddress, group: str
) -> dict[str, bytes]:
    """Render the rows and the pinned rows of a page, by the placeholders that they replace."""
    person, page, redis_down = viewer(request), result.page, result.redis_down
    order = address.order
    items = rows.render_items(
        page.rows,
        request,
        member=person is not None,
        redis_down=redis_down,
        views=order is Order.VIEWS and not redis_down,
        active=order is Order.ACTIVE,
        blocked=person.blocked if person else (),
        final_points=result.final_points,
        divider=_divider(address, person),
        group=group,
    )
    pins = rows.render_pinned(page.pinned, request, member=person is not None, group=group)
    return {"items": items, "pins": pins}


def _divider(address: addresses.ListingAddress, person: Viewer | None) -> rows.Divider | None:
    """Return the line between the posts since the viewer's last visit and older posts.

    Only members with an earlier visit get it, in listings with the newest post first.
    """
    newest_first = address.family == "new" and address.direction is Direction.DESC
    if person is None or not person.last_visit or not newest_first:
        return None
    return rows.Divider(person.last_visit, address.cursor.score if address.cursor else None)


def _fill_frame(
    request: HttpRequest, template: str, parts: Mapping[str, bytes], context: dict[str, Hashable]
) -> bytes:
    """Put rows and the CSRF token into the cached frame of a page."""
    person = viewer(request)
    header = {
        "viewer": person,
        "here": request.get_full_path(),
        "unread": unread.shown(request),
        "queue_count": queue_count.shown(request),
    }
    filled = tuple(name for name, html in parts.items() if html)
    page = _frame(template, filled, get_language(), **context, **header)
    for placeholder, html in zip(display.PLACEHOLDERS, display.marks_of(request), strict=True):
        page = page.replace(placeholder.encode(), html.encode(), 1)
    if person is not None:
        page = page.replace(CSRF.encode(), get_token(request).encode())
    for name, placeholder in PARTS.items():
        page = page.replace(placeholder.encode(), parts[name])
    return page


def _know_unread(request: HttpRequest, result: Listing) -> None:
    """If the viewer's number of unread items was read with a listing, store it in the request.

    While Redis is down, stores None.
    """
    if result.page.unread is not None or result.redis_down:
        unread.know(request, result.page.unread)


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


def _load(
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
    template: str, filled: tuple[str, ...], language: str | None, **context: Hashable
) -> bytes:
    """Render a page without its rows. The active `language` is part of the cache key.

    `filled` names the parts that have rows; the others are empty on the page.
    """
    shared = {"site_name": settings.SITE_NAME, "csrf_token": CSRF, "display": display.PLACEHOLDERS}
    parts = {name: SafeString(mark if name in filled else "") for name, mark in PARTS.items()}
    return render_to_string(template, context | shared | parts).encode()
