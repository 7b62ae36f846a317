"""What every page about a person has: who it is, how many they follow, and the tabs."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from forum.errors import Forbidden
from forum.identity.viewers import is_staff, viewer
from forum.inbox import unread, watches
from forum.models import User
from forum.queries.people import Portrait, find_person, portrait
from forum.web.not_found import NoSuchPerson
from voting.types import Target


def find(username: str) -> User:
    """Return a person by name, whatever its case. Raises Http404."""
    person = find_person(username)
    if person is None:
        raise NoSuchPerson
    return person


def find_own(request: HttpRequest, username: str) -> User:
    """Return the person of that name. Raises Http404, and Forbidden for others."""
    person, reader = find(username), viewer(request)
    if reader is None or reader.id != person.pk:
        raise Forbidden(_("Only the person themselves can see this."))
    return person


def unblocked(person: User) -> str:
    """Return the sentence that tells that a person is not blocked any more."""
    return _("%(name)s is not blocked any more.") % {"name": person.username}


def see(
    request: HttpRequest,
    person: User,
    post_ids: Sequence[int] = (),
    comments: Sequence[Target] = (),
    *,
    compared: bool = False,
) -> Portrait:
    """Return a person as the reader sees them, with posts and comments on the page; see `portrait`.

    One round trip, two where `compared`.
    """
    reader = viewer(request)
    reader_id = reader.id if reader else None
    seen = portrait(person, reader_id, post_ids, comments, compared=compared)
    unread.know(request, seen.unread)
    return seen


def head(
    request: HttpRequest, person: User, tab: str, seen: Portrait | None = None
) -> dict[str, Any]:
    """Return what `partials/person_head.html` shows; `tab` is the one that is open.

    One round trip where the person was not `seen` yet.
    """
    reader, seen = viewer(request), seen or see(request, person)
    own = reader is not None and reader.id == person.pk
    return {
        "person": person,
        "own": own,
        "blocked": reader is not None and not own and watches.blocks(reader.id, person.pk),
        "counts": seen.counts,
        "ties": seen.ties,
        "tab": tab,
        "nav": "profile" if own else "",
        "staff": is_staff(request),
    }
