"""What every page about a person has: who it is, how many they follow, and the tabs."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from forum.inbox import watching
from forum.models import User
from forum.queries import bonds
from forum.queries.counts import counts_of
from forum.queries.people import find_person
from forum.visiting.viewers import viewer


def find(username: str) -> User:
    """Return a person by name, whatever its case. Raises Http404."""
    person = find_person(username)
    if person is None:
        raise Http404("no such person")
    return person


def find_own(request: HttpRequest, username: str) -> User:
    """Return the person of that name. Raises Http404, and PermissionDenied for anybody else."""
    person, reader = find(username), viewer(request)
    if reader is None or reader.id != person.pk:
        raise PermissionDenied(_("Only the person themselves can see this."))
    return person


def head(request: HttpRequest, person: User, tab: str) -> dict[str, Any]:
    """Return what `partials/person_head.html` shows; `tab` is the one that is open.

    Two round trips.
    """
    reader = viewer(request)
    own = reader is not None and reader.id == person.pk
    return {
        "person": person,
        "own": own,
        "blocked": reader is not None and not own and watching.blocks(reader.id, person.pk),
        "counts": counts_of(person),
        "ties": bonds.ties(person, reader.id if reader and not own else None),
        "tab": tab,
        "nav": "profile" if own else "",
    }
