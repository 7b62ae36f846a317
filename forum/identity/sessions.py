"""Sessions whose keys contain the person's id.

So the site can tell from a session's key under which key the person's data is cached, and gets the
session and this data with one read of the cache.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import cached_db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.http import HttpRequest, HttpResponseBase

from forum.models.user import viewer_key


class SessionStore(cached_db.SessionStore):
    """Django's sessions, in the cache and in SQL, with keys that contain the person's id.

    Log-in creates the key `<user id>-<random>`. `cached_viewer` is the cached data about the
    person, or None.
    """

    _cache: Any
    cached_viewer: Any = None

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

        Django itself would raise UpdateError, the error for a deleted session.
        """
        try:
            super().save(must_create)
        except UpdateError as error:
            if isinstance(error.__context__, OperationalError):
                raise error.__context__ from None
            raise

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
    """Middleware: forbid browsers to store pages of people who are logged in.

    After a log-out, the next person at the same computer could otherwise press the Back button and
    see these pages.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.session.accessed and SESSION_KEY in request.session:
            response.headers["Cache-Control"] = "no-store"
        return response

    return middleware


def end_others(request: HttpRequest) -> None:
    """End all other sessions of the person."""
    theirs = Session.objects.filter(session_key__startswith=f"{request.user.pk}-")
    others = theirs.exclude(session_key=request.session.session_key)
    for key in others.values_list("session_key", flat=True):
        SessionStore(key).delete()
