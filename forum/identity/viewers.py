"""The viewer of a page. All code uses this module, not `request.user`:

- `viewer` for what a page shows: a few fields of the person, from the cache; None for a guest;
- `member` for what a person does: the whole row from SQL, where a log-in is required;
- `is_staff` for what only staff see;
- `subject` for rate limits.

The session names the person. The cache has their `Viewer` until they are saved (`User.save`).
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

LIFE = 300
"""Seconds that the cache has a viewer: a change that it missed, being down, shows after that."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """The data that pages need of a person who is logged in."""

    id: int
    name: str
    is_staff: bool
    joined_at: int
    """Seconds since 1970."""
    keeps_history: bool
    hides_read: bool
    blocked: frozenset[str]
    """User names of the people they blocked."""


CACHED_FIELDS = len(fields(Viewer)) + 1
"""A viewer and the session hash; another version of the site may have cached other fields."""


def viewer(request: HttpRequest) -> Viewer | None:
    """Return who is looking, or None for a guest. Usually one read of the cache and no SQL.

    While both cache and SQL are down everybody is a guest, so that listings are still shown.
    """
    if not hasattr(request, "viewer"):
        try:
            request.viewer = _find(request)  # type: ignore[attr-defined]
        except DatabaseError:
            return None
    return cast(Viewer | None, request.viewer)  # type: ignore[attr-defined]


def member(request: HttpRequest) -> User:
    """Return the person, in a view that requires a log-in (`login_required`, the admin). One query
    per request.
    """
    assert isinstance(request.user, User)  # noqa: S101 - the view requires a log-in
    return request.user


def is_staff(request: HttpRequest) -> bool:
    """Return whether the viewer acts as staff. One or two queries for staff, none for others."""
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
    cached = getattr(request.session, "cached_viewer", None) or cache.get(viewer_key(user_id))
    if cached and len(cached) == CACHED_FIELDS:
        *values, session_hash = cached
        if constant_time_compare(request.session.get(HASH_SESSION_KEY, ""), session_hash):
            return Viewer(*values)
    return _from_sql(request)


def _from_sql(request: HttpRequest) -> Viewer | None:
    """Let Django check the session and the person, and cache the result, unless the person was
    saved at the same time (`cache.add`).
    """
    user = getattr(request, "user", None)  # missing if a request is refused by earlier middleware
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
    cached = (*astuple(found), user.get_session_auth_hash())
    cache.add(viewer_key(user.pk), cached, LIFE)
    return found
