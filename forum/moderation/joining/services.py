"""Signing up as the site's policy allows."""

from django.db import transaction
from django.utils.translation import gettext as _

from forum.errors import Invalid
from forum.models import SitePolicy, User
from forum.moderation.actions import applications
from forum.moderation.joining import invitations
from forum.screening.policy import policy

SignUp = SitePolicy.SignUp


def is_open(code: str) -> bool:
    """Return whether somebody may sign up, with the code of an invitation or "". Two queries."""
    mode = policy.get().sign_up
    if mode == SignUp.INVITATION:
        return invitations.find(code) is not None
    return mode != SignUp.CLOSED


@transaction.atomic
def join(person: User, *, code: str, answer: str | None) -> None:
    """Record how a new person joins: by whose invitation, and with which application.

    `answer` is None if the site asks no question. Invited people apply, too, if it does. Raises
    Invalid if the person needs an invitation and `code` was used or revoked.
    """
    used = bool(code) and invitations.use(code, person)
    if policy.get().sign_up == SignUp.INVITATION and not used:
        raise Invalid(_("This invitation was already used, or it was revoked."))
    if answer is not None:
        applications.apply(person, answer)
