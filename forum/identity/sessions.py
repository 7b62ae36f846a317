"""Sessions whose key names the person, so that one read brings the session and who is looking."""

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
    """Django's cached sessions, in the cache and in SQL. Log-in makes the key `<user id>-<random>`.

    `beside` is what the cache keeps of the person (see `forum.identity.viewers`), or None.
    """

    _cache: Any
    beside: Any = None

    def load(self) -> dict[str, Any]:
        """Return the session's data. One read of the cache; a query where it has none."""
        user_id, named, _secret = (self.session_key or "").partition("-")
        if not named:
            return super().load()
        person = viewer_key(user_id)
        kept = self._cache.get_many([self.cache_key, person])
        self.beside = kept.get(person)
        return kept.get(self.cache_key) or super().load()

    def save(self, must_create: bool = False) -> None:
        """Save the session. Raises what SQL says where SQL does not answer: Django would take it
        for a session that was ended meanwhile, and for the sender's fault.
        """
        try:
            super().save(must_create)
        except UpdateError as error:
            if isinstance(error.__context__, OperationalError):
                raise error.__context__ from None
            raise

    def _validate_session_key(self, key: str | None) -> bool:
        """Take what no browser was ever given for no key: PostgreSQL refuses some characters."""
        return bool(key and key.isprintable() and super()._validate_session_key(key))  # type: ignore[misc]

    def _get_new_session_key(self) -> str:
        key: str = super()._get_new_session_key()  # type: ignore[misc]
        user_id = getattr(self, "_session_cache", {}).get(SESSION_KEY)
        return f"{user_id}-{key[:28]}" if user_id else key


def private(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: let nobody keep a copy of what a person who is logged in was shown.

    Otherwise the Back button shows it to whoever sits at the browser after log-out. No round trip:
    an answer for which the session was not read shows nothing of theirs.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.session.accessed and SESSION_KEY in request.session:
            response.headers["Cache-Control"] = "no-store"
        return response

    return middleware


def end_others(request: HttpRequest) -> None:
    """End all sessions of who asks but the one they ask by. A query and two for each."""
    theirs = Session.objects.filter(session_key__startswith=f"{request.user.pk}-")
    others = theirs.exclude(session_key=request.session.session_key)
    for key in others.values_list("session_key", flat=True):
        SessionStore(key).delete()
