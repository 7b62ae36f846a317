"""Renders rows of listings as HTML, and caches each row.

A row shows the post's card (its title, author and so on), its counts and its age, whether the
viewer has voted on it, saved it and read it, why the vote doesn't count if so, and whether voting
is open. The HTML of a row doesn't depend on its rank or page. Rows are cached as bytes, because
joining encoded rows is faster than encoding a whole page.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from time import time
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from forum.config.hidden_scores import is_hidden
from forum.identity.viewers import viewer
from forum.queries.role_marks import RoleMark, of_name
from forum.store import post_cards
from forum.web import ages, caches, folding, group_chips, person_labels, role_marks
from forum.web.error_responses import FRAGMENT
from forum.web.placeholders import NEXT, ORIGIN
from forum.web.vote_notes import vote_note
from voting.types import Row, Vote

BETWEEN = b"</li><li>"
MINUS = "\N{MINUS SIGN}"
NO_POINTS: Mapping[int, int] = MappingProxyType({})


class Arrows(StrEnum):
    """The states of the vote arrows in a row or comment, which decide what a click on them does."""

    MEMBER = "member"
    GUEST = "guest"
    CLOSED = "closed"
    UNAVAILABLE = "unavailable"


class Place(StrEnum):
    """Where a row is shown: in a listing, or on the post's page.

    The value is the HTML tag of the row's heading.
    """

    LIST = "h2"
    POST = "h1"


class Divider(NamedTuple):
    """A line in a listing by time, between the posts since a visit and older ones."""

    since: int
    """When the visit ended, in seconds since 1970."""
    above: float | None
    """When the last post of the previous page was posted, in seconds; None on the first page."""


class RowView(NamedTuple):
    """Everything that a row's HTML depends on. A named tuple, since it is hashed fastest."""

    id: int
    posted_at: int
    up: int | None
    """Number of up votes; None while the score is hidden. So are `down` and `points`."""
    down: int | None
    points: int | None
    chips: tuple[SafeString, ...]
    """Links to the post's groups."""
    card: str
    mark: RoleMark
    """The author's role, which a mark beside the name shows."""
    vote: Vote
    note: SafeString
    """Why the viewer's vote doesn't count; "" if it does."""
    comments: int
    unseen: int
    """Number of comments since the viewer's last visit."""
    saved: bool
    views: int | None
    active: int | None
    """Age of the newest comment, as a number from `ages.bucket`."""
    age: int
    arrows: Arrows
    member: bool
    place: Place
    language: str


def render_items(
    rows: Iterable[Row],
    request: HttpRequest,
    *,
    member: bool,
    redis_down: bool = False,
    views: bool = False,
    active: bool = False,
    blocked: Collection[str] = (),
    final_points: Mapping[int, int] = NO_POINTS,
    divider: Divider | None = None,
    group: str = "",
) -> bytes:
    """Render each row as a `<li>`.

    `views` adds the number of views to each row, and `active` adds the age of the newest comment.
    Use these only in listings ranked by views or activity, because rows with such numbers change
    often and are rarely found in the cache. Posts by people in `blocked` are folded. `final_points`
    maps the ids of posts to points to show instead of the current points. `divider` is a
    line above the first post that is older than the viewer's last visit. `group` is the short name
    of the group whose posts these are; its moderators are marked as such.
    """
    rows = list(rows)
    articles = _articles(
        rows,
        member,
        redis_down,
        Place.LIST,
        views=views,
        active=active,
        final_points=final_points,
        group=group,
    )
    if blocked:
        articles = [_folded(*one, blocked) for one in zip(articles, rows, strict=True)]
    if divider:
        _divide(articles, rows, divider)
    return _on_page(request, b"<li>%b</li>" % BETWEEN.join(articles)) if articles else b""


def render_pinned(
    rows: Iterable[Row], request: HttpRequest, *, member: bool, group: str = ""
) -> bytes:
    """Render each pinned row as a `<li>` with a label. `group` is the group of the listing."""
    articles = _articles(
        list(rows), member, redis_down=False, place=Place.LIST, views=False, group=group
    )
    label = b'<p class="pin">%b</p>' % str(_("Pinned")).encode()
    return _on_page(request, b"".join(b"<li>%b%b</li>" % (label, own) for own in articles))


def _divide(articles: list[bytes], rows: Sequence[Row], divider: Divider) -> None:
    """Add the divider above the first older post, if there is a newer post above that post."""
    posted = [divider.above or 0, *(row.posted_at for row in rows)]
    for place, (above, below) in enumerate(pairwise(posted)):
        if above > divider.since >= below:
            context = {"age": ages.words(ages.bucket(int(time()) - divider.since))}
            line = caches.render_compact("partials/since_visit.html", context)
            articles[place] = line.encode() + articles[place]


def _folded(html: bytes, row: Row, blocked: Collection[str]) -> bytes:
    author = post_cards.unpack(row.card).author
    if author not in blocked:
        return html
    return folding.fold_post(html.decode(), author, get_language() or "").encode()


def render_article(
    row: Row, request: HttpRequest, *, member: bool, place: Place, redis_down: bool = False
) -> SafeString:
    """Render one row as an `<article>`, for example on the post's page."""
    views = place is Place.POST and not redis_down
    (own,) = _articles((row,), member, redis_down, place, views=views)
    return SafeString(_on_page(request, own).decode())


def render_fragment(request: HttpRequest, row: Row) -> SafeString:
    """Render a post's row for a member. JavaScript replaces the old row on the page with it.

    A request header says whether the row is in a listing or on the post's page.
    """
    place = Place.POST if request.headers[FRAGMENT] == "post" else Place.LIST
    return render_article(row, request, member=True, place=place)


def _on_page(request: HttpRequest, html: bytes) -> bytes:
    """Replace placeholders with the page's URL and the site's scheme and host, and add labels."""
    here = quote(request.get_full_path(), safe="/")
    origin = f"{request.scheme}://{request.get_host()}"
    html = html.replace(NEXT.encode(), here.encode()).replace(ORIGIN.encode(), origin.encode())
    person = viewer(request)
    if person is None or not person.labels:
        return html
    return person_labels.beside_names(html.decode(), person).encode()


def _articles(
    rows: Collection[Row],
    member: bool,
    redis_down: bool,
    place: Place,
    *,
    views: bool,
    active: bool = False,
    final_points: Mapping[int, int] = NO_POINTS,
    group: str = "",
) -> list[bytes]:
    now, language = int(time()), get_language() or ""
    opened = now - settings.VOTING_RULES.window
    free = Arrows.UNAVAILABLE if redis_down else Arrows.MEMBER if member else Arrows.GUEST
    hidden = {row.id for row in rows if is_hidden(row.posted_at)}
    return [
        _article(
            RowView(
                id=row.id,
                posted_at=row.posted_at,
                up=None if row.id in hidden else row.up,
                down=None if row.id in hidden else row.down,
                points=None if row.id in hidden else final_points.get(row.id, row.points),
                chips=tuple(map(group_chips.chip, row.groups)),
                card=row.card,
                mark=of_name(post_cards.unpack(row.card).author, (group, *row.groups)),
                vote=row.vote or Vote.NONE,
                note=_note(row, now),
                comments=row.comments,
                unseen=0 if row.seen is None else max(0, row.comments - row.seen),
                saved=row.saved,
                views=row.views if views else None,
                active=_last_active(row, now) if active else None,
                age=ages.bucket(now - row.posted_at),
                arrows=free if row.posted_at > opened else Arrows.CLOSED,
                member=member,
                place=place,
                language=language,
            )
        )
        for row in rows
    ]


def _note(row: Row, now: int) -> SafeString:
    closes_at = row.posted_at + settings.VOTING_RULES.window
    return vote_note(row.vote or Vote.NONE, row.counts_at, closes_at, now)


def _last_active(row: Row, now: int) -> int | None:
    """Return the age of a post's newest comment, converted by `ages.bucket`."""
    at = post_cards.unpack(row.card).commented_at
    return ages.bucket(now - at) if at else None


@caches.ROWS.remember
def _article(view: RowView) -> bytes:
    card = post_cards.unpack(view.card)
    context = view._asdict() | {
        "card": card,
        "mark": role_marks.render(view.mark),
        "posted": datetime.fromtimestamp(view.posted_at, UTC),
        "age": ages.words(view.age),
        "signed_points": "" if view.points is None else with_sign(view.points),
        "vote": view.vote.word,
        "active": None if view.active is None else ages.words(view.active),
        "arrows": view.arrows.value,
        "place": view.place.value,
        "next": NEXT,
        "origin": ORIGIN,
    }
    return caches.render_compact(_template(view.place, card), context).encode()


def _template(place: Place, card: post_cards.Card) -> str:
    if card.merged_into:
        return "partials/row_merged.html"
    return "partials/post_head.html" if place is Place.POST else "partials/row.html"


def with_sign(points: int) -> str:
    """Return points as text for pages, with a minus sign instead of a hyphen."""
    return f"{points:,}".replace("-", MINUS)
