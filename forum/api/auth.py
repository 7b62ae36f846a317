"""Who uses the API: a guest, or the owner of the token in the request."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.errors import HttpError
from ninja.security import HttpBearer

from forum.api import tokens
from forum.identity.viewers import guest_subject, viewer, viewer_of
from forum.models import ApiToken, User
from forum.throttling.throttle import Subject, subject_of

SCHEME = "Bearer "
Scope = ApiToken.Scope


def identify(request: HttpRequest) -> None:
    """Make the token's owner the viewer of a request; without a token, nobody. Ignore cookies.

    With a token, one query and usually one read of the cache. Raises HttpError for a wrong token.
    """
    request.COOKIES, request.user = {}, AnonymousUser()
    request.viewer, request.token = None, None  # type: ignore[attr-defined]
    header = request.headers.get("Authorization", "")
    if not header:
        return
    found = tokens.find(header.removeprefix(SCHEME)) if header.startswith(SCHEME) else None
    if found is None:
        raise HttpError(401, _("This token doesn't exist, or was revoked."))
    request.user = found.user
    request.token = found  # type: ignore[attr-defined]
    if Scope.READ in found.scopes:
        request.viewer = viewer_of(found.user)  # type: ignore[attr-defined]


def reader_id(request: HttpRequest) -> int | None:
    """Return the id of the person for whom a request reads; None for a guest. No query."""
    person = viewer(request)
    return person.id if person else None


def caller(request: HttpRequest) -> Subject:
    """Return whose requests are counted: those of the token's owner, or of a guest's network."""
    user = request.user
    return subject_of(user) if isinstance(user, User) else guest_subject(request)


class Token(HttpBearer):
    """Requires a token that has a scope."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token. Raises HttpError if it lacks the scope."""
        found: ApiToken | None = request.token  # type: ignore[attr-defined]
        if found is not None and self.scope not in found.scopes:
            sentence = _("This token doesn't have the scope “%(scope)s”.")
            raise HttpError(403, sentence % {"scope": self.scope.value})
        return found
