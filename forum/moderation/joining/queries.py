"""Reads invitations, and who invited whom."""

from dataclasses import dataclass

from django.db.models import QuerySet

from forum.models import Invitation, User
from forum.queries.keyset import newest_below

DEEPEST = 6
"""The most inviters to show above a person: the inviter, the inviter's inviter, and so on."""


@dataclass(frozen=True, slots=True)
class InvitationPage:
    """A page of invitations, newest first.

    The next page has ids below `before`, which is None on the last page.
    """

    invitations: tuple[Invitation, ...]
    before: int | None


def of_person(person: User, before: int | None = None) -> InvitationPage:
    """Return a page of the invitations that a person created."""
    return _page(Invitation.objects.filter(by=person), before)


def invited_by(person: User, before: int | None = None) -> InvitationPage:
    """Return a page of the person's invitations that others used to join."""
    return _page(Invitation.objects.filter(by=person, used_by__is_unconfirmed=False), before)


def newest(before: int | None = None) -> InvitationPage:
    """Return a page of all invitations that were used to join, newest first."""
    return _page(Invitation.objects.filter(used_by__is_unconfirmed=False), before)


def inviters(person: User) -> tuple[list[User], bool]:
    """Return who invited a person, who invited the inviter, and so on.

    The person's own inviter is last in the list, which has at most `DEEPEST` people. Also returns
    whether there are more inviters.
    """
    above = "by" + "__invitation__by" * (DEEPEST - 1)
    chain = Invitation.objects.select_related(f"{above}__invitation")
    invitation = chain.filter(used_by=person).first()
    found: list[User] = []
    while invitation is not None and len(found) < DEEPEST:
        found.insert(0, invitation.by)
        invitation = getattr(invitation.by, "invitation", None)
    return found, invitation is not None


def _page(invitations: QuerySet[Invitation], before: int | None) -> InvitationPage:
    return InvitationPage(*newest_below(invitations.select_related("by", "used_by"), before))
