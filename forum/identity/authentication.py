"""Finds the user of a session, and ends sessions that may not be used any more."""

from functools import partial

from django.contrib import messages
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from forum.identity.published_passwords import is_refused, refusal
from forum.identity.session_use import use_of
from forum.identity.viewers import has_role
from forum.models import User


class RefusingAuthenticationMiddleware(AuthenticationMiddleware):
    """Django's middleware, but ends sessions of accounts with published passwords, and sessions
    that nobody used for too long.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Set `request.user`. Takes no time until a view reads it."""
        super().process_request(request)
        request.user = SimpleLazyObject(partial(_admitted, request, request.user))  # type: ignore[assignment]


def _admitted(request: HttpRequest, user: User | AnonymousUser) -> User | AnonymousUser:
    """Return the session's user, or a guest if the user is refused. Then the page says why."""
    if not isinstance(user, User):
        return user
    reason = refusal(user.username) if is_refused(user) else _ended(request, user)
    if not reason:
        return user
    request.session.flush()
    messages.error(request, reason, fail_silently=True)
    return AnonymousUser()


def _ended(request: HttpRequest, user: User) -> str:
    """Return the sentence that says why the session has ended; "" if it hasn't.

    Looks for a role only in sessions that are old.
    """
    use = use_of(request.session)
    if use is None or not use.is_over(has_role=True):
        return ""
    return use.refusal(has_role=has_role(request, user))
