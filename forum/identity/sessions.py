"""Sessions whose keys contain the person's id.

So the site can tell from a session's key under which key the person's data is cached, and gets the
session and this data with one read of the cache.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends import cached_db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.db import InternalError, OperationalError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from forum.config.logs import has_secret
from forum.identity.roles import has_powers
from forum.identity.session_use import SessionUse, is_members, note_use, use_of
from forum.models import User
from forum.models.user import viewer_key


class SessionStore(cached_db.SessionStore):
    """Django's sessions, in the cache and in SQL, with keys that contain the person's id.

    Log-in creates the key `<user id>-<random>`. `cached_viewer` is the cached data about the
    person, or None.
    """

    _cache: Any
    cached_viewer: Any = None
    only_noted = False
    """Whether the last use is all that changed."""

    def load(self) -> dict[str, Any]:
        """Return the session's data."""
        user_id, named, _secret = (self.session_key or "").partition("-")
        if not named:
            return super().load()
        person = viewer_key(user_id)
        cached = self._cache.get_many([self.cache_key, person])
        self.cached_viewer = cached.get(person)
        return cached.get(self.cache_key) or super().load()

    def save(self, must_create: bool = False) -> None:
        """Save the session. Raises OperationalError if SQL is down.

        Django itself would raise UpdateError, the error for a deleted session. If only the last use
        changed, an outage of SQL raises nothing, so that pages still open.
        """
        try:
            super().save(must_create)
        except UpdateError as error:
            if not isinstance(error.__context__, OperationalError | InternalError):
                raise
            if not self.only_noted:
                raise error.__context__ from None

    def _validate_session_key(self, key: str | None) -> bool:
        """Return whether a session key is valid and has no characters that PostgreSQL rejects."""
        return bool(key and key.isprintable() and super()._validate_session_key(key))  # type: ignore[misc]

    def _get_new_session_key(self) -> str:
        key: str = super()._get_new_session_key()  # type: ignore[misc]
        user_id = getattr(self, "_session_cache", {}).get(SESSION_KEY)
        return f"{user_id}-{key[:28]}" if user_id else key


def private(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: note the use of members' sessions, and forbid browsers to store private pages.

    These are members' pages and those of links with secrets. After a log-out, the next person at
    the same computer could otherwise press the Back button and see them.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if is_members(request.session):
            if not settings.READ_ONLY:
                note_use(request)
            response.headers["Cache-Control"] = "no-store"
        elif has_secret(request):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return middleware


@dataclass(frozen=True)
class OpenSession:
    """One of a person's sessions."""

    id: str
    """A hash of the session's key. The key itself would let its reader use the session."""
    key: str
    use: SessionUse | None


def open_sessions(person: User) -> list[OpenSession]:
    """Return a person's sessions that haven't ended, most recently used first. Two queries."""
    rows, has_role = _sessions_of(person).filter(expire_date__gt=timezone.now()), has_powers(person)
    found = [
        OpenSession(_id(row.session_key), row.session_key, use_of(data))
        for row in rows
        if _is_open(data := row.get_decoded(), person, has_role=has_role)
    ]
    return sorted(found, key=_last_use, reverse=True)


def _last_use(one: OpenSession) -> float:
    return one.use.used_at.timestamp() if one.use else 0


def _is_open(data: dict[str, Any], person: User, *, has_role: bool) -> bool:
    """Return whether a session has ended neither by a new password nor by its limits."""
    hashes = (person.get_session_auth_hash(), *person.get_session_auth_fallback_hash())
    same = any(constant_time_compare(data.get(HASH_SESSION_KEY, ""), one) for one in hashes)
    use = use_of(data)
    return same and not (use and use.is_over(has_role=has_role))


def end(person: User, session_id: str) -> bool:
    """End one of a person's sessions. Return whether there was such a session."""
    keys = [key for key in _keys(person) if _id(key) == session_id]
    for key in keys:
        SessionStore(key).delete()
    return bool(keys)


def end_others(request: HttpRequest) -> None:
    """End all other sessions of the person."""
    for key in _keys(request.user):
        if key != request.session.session_key:
            SessionStore(key).delete()


def end_all(person: User, request: HttpRequest | None = None) -> None:
    """End all sessions of a person. If `request` is the person's own, it is logged out, too."""
    for key in _keys(person):
        SessionStore(key).delete()
    if request and request.user == person:
        request.session.flush()


def _id(key: str) -> str:
    return salted_hmac("forum.identity.sessions", key).hexdigest()[:16]


def _sessions_of(person: Any) -> QuerySet[Session]:
    return Session.objects.filter(session_key__startswith=f"{person.pk}-")


def _keys(person: Any) -> list[str]:
    return list(_sessions_of(person).values_list("session_key", flat=True))
