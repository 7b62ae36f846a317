"""Invitations: links with which people can sign up. Each link is for one person."""

from secrets import token_urlsafe

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions.policy import policy
from forum.errors import Forbidden, Invalid
from forum.identity import permissions
from forum.models import Invitation, User


def find(code: str) -> Invitation | None:
    """Return the usable invitation with this code, or None.

    An invitation can't be used while its creator can't write or has a disabled account.
    """
    if not code or not code.isprintable():
        return None
    open_ones = Invitation.objects.filter(used_by=None, revoked_at=None, by__is_active=True)
    found = open_ones.select_related("by").filter(code=code).first()
    if found is None:
        return None
    try:
        permissions.require_not_banned(found.by)
    except Forbidden:
        return None
    return found


@transaction.atomic
def create(*, by: User) -> Invitation:
    """Create an invitation.

    Raises Forbidden if the person may not invite people now.
    """
    User.lock(by.pk)  # one request at a time
    permissions.require_may_invite(by, policy.get())
    return Invitation.objects.create(code=token_urlsafe(32), by=by)


def revoke(invitation: Invitation, *, by: User) -> None:
    """Revoke an invitation, as its creator or as a site moderator.

    Raises Forbidden if `by` is neither the creator nor a site moderator. Raises Invalid if somebody
    has already signed up with the invitation.
    """
    permissions.require_inviter(by, invitation)
    unused = Invitation.objects.filter(pk=invitation.pk, used_by=None)
    if not unused.update(revoked_at=timezone.now()):
        raise Invalid(_("Someone has already signed up with this invitation."))


def use(code: str, person: User) -> bool:
    """Mark an invitation as used by a new person. Return False if it can't be used.

    If two people use an invitation at the same time, only one succeeds.
    """
    found = find(code)
    if found is None:
        return False
    unused = Invitation.objects.filter(pk=found.pk, used_by=None, revoked_at=None)
    return unused.update(used_by=person) == 1
