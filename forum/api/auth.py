"""Who uses the API: a guest, or the owner of the token in the request."""

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.errors import HttpError
from ninja.security import HttpBearer

from forum.api import tokens
from forum.identity.viewers import viewer_of
from forum.models import ApiToken, User

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


def owner(request: HttpRequest) -> User:
    """Return the owner of the token, in operations that need one."""
    assert isinstance(request.user, User)  # noqa: S101 - the operation has a `Token`
    return request.user


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
