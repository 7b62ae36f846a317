"""Who uses the API: a guest, or the owner of the token in the request."""

from functools import partial
from math import ceil
from time import time

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from ninja.errors import AuthenticationError, HttpError

from forum.api import tokens
from forum.api.tokens import Access
from forum.errors import Forbidden
from forum.identity.published_passwords import is_refused, refusal
from forum.identity.throttle import Subject, subject_of, throttle
from forum.identity.viewers import guest_subject, member, subject, viewer, viewer_of
from forum.models import ApiToken, User
from voting.errors import Throttled

ACTION = "api"
"""The name of the rate limit for all requests."""
Scope = ApiToken.Scope


def identify(request: HttpRequest) -> None:
    """Set a request's user and viewer to the token's owner, or to a guest if there is no token.

    The viewer stays None if the token doesn't allow reading. Raises HttpError for a wrong token,
    and Throttled after too many. Raises Forbidden if the owner's account is refused for its
    published password.
    """
    request.user = AnonymousUser()
    request.viewer, request.token = None, None  # type: ignore[attr-defined]
    header = request.headers.get("Authorization", "")
    if not header:
        return
    scheme, _space, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise AuthenticationError
    found = tokens.cached(token.strip()) or _look_up(request, token.strip())
    request.user = SimpleLazyObject(partial(_owner, found))  # type: ignore[assignment]
    request.token = found  # type: ignore[attr-defined]
    if Scope.READ in found.scopes:
        try:
            request.viewer = viewer_of(found.user_id)  # type: ignore[attr-defined]
        except User.DoesNotExist:
            raise _unknown_token() from None


def _look_up(request: HttpRequest, token: str) -> Access:
    """Return what a token allows. Raises HttpError for a wrong token.

    Wrong tokens count as requests of the guest's network. At the limit this raises Throttled, and
    until then no further tokens of the network are looked up.
    """
    network = guest_subject(request)
    key = f"api-wrong-tokens:{network.key}"
    if refused_until := cache.get(key):
        raise Throttled(max(1, ceil(refused_until - time())))
    found = tokens.find(token)
    if found is None:
        try:
            throttle(network, ACTION)
        except Throttled as error:
            wait = error.retry_after_seconds
            cache.set(key, time() + wait, wait)
            raise
        raise _unknown_token()
    return found


def requester(request: HttpRequest) -> Subject:
    """Return the subject of the rate limit for requests: a token, or a guest's network."""
    token: Access | None = request.token  # type: ignore[attr-defined]
    return Subject.token(token.token_id) if token else guest_subject(request)


def caller(request: HttpRequest) -> Subject:
    """Return whose actions the rate limits count: a token's owner, or a guest's network."""
    may_not_read = viewer(request) is None
    if may_not_read and request.token is not None:  # type: ignore[attr-defined]
        return subject_of(member(request))
    return subject(request)


def _owner(token: Access) -> User:
    """Return the token's owner.

    Raises HttpError if the account is disabled. Raises Forbidden if the account is refused for its
    published password.
    """
    try:
        owner = User.objects.get(pk=token.user_id, is_active=True)
    except User.DoesNotExist:
        raise _unknown_token() from None
    if is_refused(owner):
        raise Forbidden(refusal(owner.username))
    return owner


def _unknown_token() -> HttpError:
    return HttpError(401, _("This token doesn't exist, was revoked or has ended."))


def require_scope(request: HttpRequest, *scopes: Scope) -> None:
    """Raise HttpError unless the request's token has one of these scopes."""
    token: Access = request.token  # type: ignore[attr-defined]
    if not set(scopes) & set(token.scopes):
        sentence = _("This token doesn't have the scope “%(scope)s”.")
        raise HttpError(403, sentence % {"scope": scopes[0].value})


class Token:
    """Requires that a request has a token with one of these scopes."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = scopes

    def __call__(self, request: HttpRequest) -> Access | None:
        """Return the request's token, or None. Raises HttpError if the token lacks the scopes."""
        found: Access | None = request.token  # type: ignore[attr-defined]
        if found is not None:
            require_scope(request, *self.scopes)
        return found
