"""Shared parts of the pages with a person's own lists of posts, such as saved posts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.models import User
from forum.queries import person_lists
from forum.queries.merged_posts import survivors
from forum.store import post_cards
from forum.text.sentences import sentence_space
from forum.web import addresses, ages, profile_pages, rows
from forum.web.not_found import NoSuchPage
from forum.web.rows import Place
from voting.types import Row
from voting.types.person_lists import PersonList


@dataclass(frozen=True, slots=True)
class Entry:
    """A post in a person's list, and when the post was added to the list."""

    id: int
    title: str
    article: SafeString
    at: datetime
    age: str


def add_hidden_message(request: HttpRequest, reader: User, sentence: str) -> None:
    """Add a message to the next page: `sentence`, and a link to everything the person hides."""
    where = reverse("profile_hidden", args=[reader.username])
    link = format_html('<a href="{}">{}</a>', where, _("See what you hid"))
    messages.success(request, format_html("{}{}{}", sentence, sentence_space(), link))


def list_context(request: HttpRequest, person: User, which: PersonList) -> dict[str, Any]:
    """Return the template context for a page of a person's list.

    Raises NoSuchPage if the page number is past the end.
    """
    address = addresses.read(request.path, "", request.GET)
    found = person_lists.page(which, person, address.number)
    page = found.page
    if address.number > page.pages:
        raise NoSuchPage(page.pages, address.url(page.pages))
    seen = profile_pages.load(request, person, list(found.times))
    redis_down = found.redis_down or seen.redis_down
    listed_rows = _listed(request, person, which, seen.rows, found.times)
    entries = [_entry(request, row, at, redis_down) for row, at in listed_rows]
    listed = {"address": address, "page": page, "entries": entries, "redis_down": redis_down}
    return profile_pages.head_context(request, person, which.value, seen) | listed | _texts(which)


def _listed(
    request: HttpRequest,
    person: User,
    which: PersonList,
    rows_read: Sequence[Row],
    times: Mapping[int, datetime],
) -> list[tuple[Row, datetime]]:
    """Return the rows of a person's list with their times, latest first.

    Where a post was merged, the list has the post that remains, once and with the latest time. Only
    hiding a post doesn't hide the post that it was merged into.
    """
    by_id = {row.id: row for row in rows_read}
    missing = [] if which is PersonList.HIDDEN else [one for one in times if one not in by_id]
    ids = {one: post.pk for one, post in survivors(missing).items()} if missing else {}
    if ids:
        found = profile_pages.load(request, person, list(set(ids.values())))
        saved = which is PersonList.SAVED
        by_id |= {row.id: replace(row, saved=row.saved or saved) for row in found.rows}
    latest: dict[int, datetime] = {}
    for post_id, at in times.items():
        latest.setdefault(ids.get(post_id, post_id), at)
    return [(by_id[post_id], at) for post_id, at in latest.items() if post_id in by_id]


def _entry(request: HttpRequest, row: Row, at: datetime, redis_down: bool) -> Entry:
    age = int((timezone.now() - at).total_seconds())
    return Entry(
        row.id,
        post_cards.unpack(row.card).title,
        rows.render_article(row, request, member=True, place=Place.LIST, redis_down=redis_down),
        at,
        ages.words(ages.bucket(age)),
    )


def _texts(which: PersonList) -> dict[str, str]:
    """Return the sentences and labels for the page that shows one of a person's lists.

    The sentence `unknown` is shown while Redis is unavailable. Only the viewing history has this
    sentence, because the other lists are stored in SQL.
    """
    return {
        PersonList.SAVED: {
            "did": _("Saved"),
            "undo": _("Remove from list"),
            "undo_url": "post_save",
            "empty": _("No saved posts yet. Click “save” below a post to find it here again."),
        },
        PersonList.HIDDEN: {
            "did": _("Hidden"),
            "undo": _("Show it again"),
            "undo_url": "post_hide",
            "empty": _("No hidden posts. Click “hide” below a post to keep it out of your lists."),
        },
        PersonList.LIKED: {
            "did": _("Liked"),
            "empty": _("The last 200 posts that you voted up appear here, except your own."),
        },
        PersonList.VIEWED: {
            "did": _("Viewed"),
            "empty": _("No history yet. While history is on, the posts that you open appear here."),
            "unknown": _("Your history is temporarily unavailable. Please try again in a moment."),
        },
    }[which]
