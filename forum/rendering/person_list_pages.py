"""What pages with a person's own list of posts have in common."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.gateway import post_cards
from forum.models import User
from forum.queries import person_lists
from forum.rendering import ages, profile_pages, rows
from forum.rendering.rows import Place
from forum.web import addresses
from forum.web.not_found import NoSuchPage
from voting.types import Row
from voting.types.person_lists import PersonList


@dataclass(frozen=True, slots=True)
class Entry:
    """A post of a list as its page shows it."""

    id: int
    title: str
    article: SafeString
    at: datetime
    age: str


def say_hidden(request: HttpRequest, reader: User, sentence: str) -> None:
    """Tell a reader on the next page what is hidden from their lists now, and where to find it."""
    where = reverse("profile_hidden", args=[reader.username])
    link = format_html('{} <a href="{}">{}</a>', sentence, where, _("See what you hid"))
    messages.success(request, link)


def shown(request: HttpRequest, person: User, which: PersonList) -> dict[str, Any]:
    """Return what `partials/person_head.html` and `partials/kept_rows.html` show.

    Raises NoSuchPage. Two round trips.
    """
    wanted = addresses.read(request.path, "", request.GET)
    found = person_lists.page(which, person, wanted.number)
    page = found.page
    if wanted.number > page.pages:
        raise NoSuchPage(page.pages, wanted.url(page.pages))
    seen = profile_pages.see(request, person, list(found.times))
    resting = found.resting or seen.resting
    entries = [_entry(request, row, found.times[row.id], resting) for row in seen.rows]
    listed = {"wanted": wanted, "page": page, "entries": entries, "resting": resting}
    return profile_pages.head(request, person, which.value, seen) | listed | _words(which)


def _entry(request: HttpRequest, row: Row, at: datetime, resting: bool) -> Entry:
    age = int((timezone.now() - at).total_seconds())
    return Entry(
        row.id,
        post_cards.unpack(row.card).title,
        rows.render_article(row, request, member=True, place=Place.LIST, resting=resting),
        at,
        ages.words(ages.bucket(age)),
    )


def _words(which: PersonList) -> dict[str, str]:
    """Return what the page says of a list; `unknown` where only Redis knows what is in it."""
    return {
        PersonList.SAVED: {
            "did": _("Saved"),
            "undo": _("Take off the list"),
            "undo_url": "post_save",
            "empty": _("Nothing is saved yet: press “save” below a post to find it again here."),
        },
        PersonList.HIDDEN: {
            "did": _("Hidden"),
            "undo": _("Show it again"),
            "undo_url": "post_hide",
            "empty": _("You hide no posts: press “hide” below one to keep it out of your lists."),
        },
        PersonList.LIKED: {
            "did": _("Liked"),
            "empty": _("Posts of others that you vote up are listed here, the last 200 of them."),
        },
        PersonList.VIEWED: {
            "did": _("Viewed"),
            "empty": _("Nothing is here yet: posts you open are listed while they are remembered."),
            "unknown": _("What you viewed can't be shown for a moment. Look again soon."),
        },
    }[which]
