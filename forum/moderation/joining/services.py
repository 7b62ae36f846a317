"""Decides who may sign up under the site's policy, and records how each person joined."""

from django.db import transaction
from django.utils.translation import gettext as _

from forum.actions.policy import policy
from forum.errors import Invalid
from forum.models import SitePolicy, User
from forum.moderation.actions import applications
from forum.moderation.joining import invitations

SignUp = SitePolicy.SignUp


def is_open(code: str) -> bool:
    """Return whether a person with this invitation code can sign up.

    A `code` of "" means no invitation.
    """
    mode = policy.get().sign_up
    if mode == SignUp.INVITATION:
        return invitations.find(code) is not None
    return mode != SignUp.CLOSED


@transaction.atomic
def join(person: User, *, code: str, answer: str | None) -> None:
    """Record how a new person joined: use up their invitation, and save their application.

    `code` is the code of the invitation, or "". `answer` is the person's answer to the site's
    question, or None if the site doesn't ask one. An answer is saved as an application, even for
    invited people. Votes of invited people count at once. Raises Invalid if the person needs an
    invitation and `code` can't be used.
    """
    used = bool(code) and invitations.use(code, person)
    if used:
        person.counts_at_once = True
        person.save(update_fields=["counts_at_once"])
    if policy.get().sign_up == SignUp.INVITATION and not used:
        raise Invalid(_("This invitation was already used, or it was revoked."))
    if answer is not None:
        applications.apply(person, answer)
