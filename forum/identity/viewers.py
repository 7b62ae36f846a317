"""Who is looking: the little a page needs of a person, without asking SQL.

The session names the person; what pages show of them is remembered in the cache beside the
session and forgotten whenever the person is saved (`User.save`), unless the cache is away then.
"""

from dataclasses import astuple, dataclass, fields
from typing import cast

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from forum.identity.languages import note_first_visit
from forum.identity.network import client_network
from forum.models import User
from forum.models.user import viewer_key
from forum.permissions import acts_as_staff
from forum.throttling.throttle import Subject

REMEMBERED = 300
"""Seconds after which a change that the cache did not hear of is noticed at the latest."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person who is logged in, as far as pages care."""

    id: int
    name: str
    is_staff: bool
    joined_at: int
    """Seconds since 1970."""
    keeps_history: bool
    hides_read: bool
    blocked: frozenset[str]
    """Names of the people whom they blocked."""


KEPT = len(fields(Viewer)) + 1
"""What the cache keeps of a person; another version of the site may have kept less."""


def viewer(request: HttpRequest) -> Viewer | None:
    """Return who is looking, or None for a guest. Usually one read of the cache and no SQL.

    A person whom neither cache nor SQL can name is a guest until one of them is back: listings
    must come even then.
    """
    if not hasattr(request, "viewer"):
        try:
            request.viewer = _find(request)  # type: ignore[attr-defined]
        except DatabaseError:
            return None
    return cast(Viewer | None, request.viewer)  # type: ignore[attr-defined]


def member(request: HttpRequest) -> User:
    """Return who is looking at what only people reach: the decorator of the view saw to that."""
    assert isinstance(request.user, User)  # noqa: S101 - see above
    return request.user


def is_staff(request: HttpRequest) -> bool:
    """Say whether who is looking acts as staff. A query or two for staff, none for others."""
    person = viewer(request)
    if person is None or not person.is_staff:
        return False
    return acts_as_staff(request.user)


def subject(request: HttpRequest) -> Subject:
    """Return who the actions of a request are counted for: the person, or a guest's network."""
    person = viewer(request)
    return Subject.person(person.id, person.joined_at) if person else guest_subject(request)


def guest_subject(request: HttpRequest) -> Subject:
    """Return the network, which log-ins and sign-ups are counted for. No round trip."""
    return Subject.network(client_network(request))


def _find(request: HttpRequest) -> Viewer | None:
    user_id = request.session.get(SESSION_KEY)
    if user_id is None:
        return None
    kept = getattr(request.session, "beside", None) or cache.get(viewer_key(user_id))
    if kept and len(kept) == KEPT:
        *shown, session_hash = kept
        if constant_time_compare(request.session.get(HASH_SESSION_KEY, ""), session_hash):
            return Viewer(*shown)
    return _ask_sql(request)


def _ask_sql(request: HttpRequest) -> Viewer | None:
    """Let Django check the session and the person, and remember the outcome, unless the person was
    changed meanwhile. What is refused before Django asks who it is from is taken for a guest's.
    """
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return None
    found = Viewer(
        user.pk,
        user.get_username(),
        user.is_staff,
        int(user.date_joined.timestamp()),
        user.keeps_history,
        user.hides_read,
        frozenset(user.blocks.values_list("blocked__username", flat=True)),
    )
    note_first_visit(user)
    kept = (*astuple(found), user.get_session_auth_hash())
    cache.add(viewer_key(user.pk), kept, REMEMBERED)
    return found
