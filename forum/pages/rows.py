"""Rows of listings as HTML, each rendered once for what it shows and then remembered.

A row is a pure function of the post's card, its tallies, the viewer's vote and marks, the words for
its age and what its arrows do. It knows neither its rank nor the page it is on. It is remembered as
the bytes that are sent: to encode a page anew takes longer than to put it together.
"""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from time import time
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from forum.pages import ages, folding
from forum.pages.compact import squeezed
from forum.pages.refusals import FRAGMENT
from forum.records import cards
from voting.types import Row, Vote

REMEMBERED = 8_192
"""Rows kept in this process; about 1.3 kB each."""
NEXT = "\x1a"
"""Stands in a guest's row where the address of the page belongs."""
ORIGIN = "\x1c"
"""Stands in a row where the site's scheme and host belong. `ping` takes whole addresses only."""
BETWEEN = b"</li><li>"
MINUS = "\N{MINUS SIGN}"


class Arrows(StrEnum):
    """What the arrows of a row do."""

    MEMBER = "member"
    GUEST = "guest"
    CLOSED = "closed"
    RESTING = "resting"


class Place(StrEnum):
    """Where a row stands: the level of its title."""

    LIST = "h2"
    POST = "h1"


def items(
    rows: Iterable[Row],
    request: HttpRequest,
    *,
    member: bool,
    resting: bool = False,
    views: bool = False,
    active: bool = False,
    blocked: Collection[str] = (),
) -> bytes:
    """Return the `<li>` of every row; log-in leads back to the page. No query, no round trip.

    Rows show their `views`, or when they were last `active`, only if they are ranked by that, so
    that others stay remembered. Those by authors whom the reader `blocked` are folded.
    """
    rows = list(rows)
    articles = _articles(rows, member, resting, Place.LIST, views=views, active=active)
    if blocked:
        articles = [_folded(*one, blocked) for one in zip(articles, rows, strict=True)]
    return _on_page(request, b"<li>%b</li>" % BETWEEN.join(articles)) if articles else b""


def pinned_items(rows: Iterable[Row], request: HttpRequest, *, member: bool) -> bytes:
    """Return the `<li>` of every pinned row, marked as such. No query, no round trip."""
    articles = _articles(rows, member, resting=False, place=Place.LIST, views=False)
    label = b'<p class="pin">%b</p>' % str(_("Pinned")).encode()
    return _on_page(request, b"".join(b"<li>%b%b</li>" % (label, own) for own in articles))


def _folded(html: bytes, row: Row, blocked: Collection[str]) -> bytes:
    author = cards.unpack(row.card).author
    if author not in blocked:
        return html
    return folding.post(html.decode(), author, get_language() or "").encode()


def article(
    row: Row, request: HttpRequest, *, member: bool, place: Place, resting: bool = False
) -> SafeString:
    """Return one row's `<article>`, as on its own page or as a fragment. No round trip."""
    views = place is Place.POST and not resting
    (own,) = _articles((row,), member, resting, place, views=views)
    return SafeString(_on_page(request, own).decode())


def again(request: HttpRequest, row: Row) -> SafeString:
    """Return a member's row as the script asks for it: of a list or of the post's own page."""
    place = Place.POST if request.headers[FRAGMENT] == "post" else Place.LIST
    return article(row, request, member=True, place=place)


def _on_page(request: HttpRequest, html: bytes) -> bytes:
    """Fill in what differs between the pages that show the same rows."""
    here = quote(request.get_full_path(), safe="/")
    origin = f"{request.scheme}://{request.get_host()}"
    return html.replace(NEXT.encode(), here.encode()).replace(ORIGIN.encode(), origin.encode())


def _articles(
    rows: Iterable[Row],
    member: bool,
    resting: bool,
    place: Place,
    *,
    views: bool,
    active: bool = False,
) -> list[bytes]:
    now, language = int(time()), get_language() or ""
    opened = now - settings.VOTING_RULES.window
    free = Arrows.RESTING if resting else Arrows.MEMBER if member else Arrows.GUEST
    return [
        _article(
            row.id,
            row.posted_at,
            row.up,
            row.down,
            row.groups,
            row.card,
            row.vote or 0,
            row.comments,
            0 if row.seen is None else max(0, row.comments - row.seen),
            row.saved,
            row.views if views else None,
            _last_active(row, now) if active else None,
            ages.bucket(now - row.posted_at),
            free if row.posted_at > opened else Arrows.CLOSED,
            member,
            place,
            language,
        )
        for row in rows
    ]


def _last_active(row: Row, now: int) -> int | None:
    """Return the age of the newest comment as `ages.bucket` has it; None without comments."""
    at = cards.unpack(row.card).commented_at
    return ages.bucket(now - at) if at else None


@lru_cache(maxsize=REMEMBERED)
def _article(
    post_id: int,
    posted_at: int,
    up: int,
    down: int,
    groups: tuple[str, ...],
    card: str,
    vote: int,
    comments: int,
    unseen: int,
    saved: bool,
    views: int | None,
    active: int | None,
    age: int,
    arrows: Arrows,
    member: bool,
    place: Place,
    language: str,
) -> bytes:
    """Render one row in the active language, which `language` names for the memory's sake."""
    shown = {
        "id": post_id,
        "card": cards.unpack(card),
        "posted": datetime.fromtimestamp(posted_at, UTC),
        "age": ages.words(age),
        "up": up,
        "down": down,
        "points": up - down,
        "says": signed(up - down),
        "groups": groups,
        "vote": Vote(vote).name.lower(),
        "comments": comments,
        "unseen": unseen,
        "saved": saved,
        "views": views,
        "active": None if active is None else ages.words(active),
        "member": member,
        "arrows": arrows.value,
        "place": place.value,
        "next": NEXT,
        "origin": ORIGIN,
    }
    return squeezed("partials/row.html", shown).encode()


def signed(points: int) -> str:
    """Return points as pages spell them, the minus as a sign of its own."""
    return f"{points:,}".replace("-", MINUS)
