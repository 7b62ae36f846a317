"""Applications to join. Until a moderator admits them, applicants can only read."""

from django.db import transaction
from django.utils.translation import gettext as _

from forum.actions import queue_items
from forum.actions.action_log import record
from forum.actions.notices import notify
from forum.errors import AlreadyDecided, Invalid
from forum.identity import roles
from forum.models import Application, ModAction, QueueItem, User

DECISIONS = (ModAction.Kind.ADMIT, ModAction.Kind.DECLINE)


@transaction.atomic
def apply(person: User, answer: str) -> Application:
    """Save a new person's application, and add it to the queue of the site's moderators.

    If the person must confirm an address first, the application enters the queue then.

    If the person has an email address, the decision is also emailed to them.
    """
    _set_applicant(person, True)
    person.mails_moderators = True
    person.save(update_fields=["mails_moderators"])
    application = Application.objects.create(user=person, answer=answer)
    if not person.is_unconfirmed:
        queue_items.open_item(person, QueueItem.Kind.APPLICATION)
    return application


@transaction.atomic
def decide(
    application: Application, kind: ModAction.Kind, *, by: User, reason: str = ""
) -> ModAction:
    """Admit or decline an applicant, and notify them. `kind` is ADMIT or DECLINE.

    The log never shows what the applicant wrote, or the name of a declined applicant. Raises
    Forbidden if `by` isn't a site moderator, Invalid if the applicant is declined without a reason
    or hasn't confirmed an address yet, and AlreadyDecided if moderators have decided before.
    """
    roles.require_moderator_of(by, None)
    if kind == ModAction.Kind.DECLINE and not reason:
        raise Invalid(_("Give a reason. The applicant will read it."))
    current = Application.objects.select_related("user").locked(application.pk)
    if current.accepted is not None:
        raise AlreadyDecided(_last_decision(current.user))
    if current.user.is_unconfirmed:
        raise Invalid(_("The applicant hasn't confirmed their email address yet."))
    is_private = kind == ModAction.Kind.DECLINE
    action = record(kind, current.user, by=by, reason=reason, is_private=is_private)
    _set_accepted(current, kind == ModAction.Kind.ADMIT)
    queue_items.decide(current.user, action, agreed=None)
    notify(action)
    application.accepted = current.accepted
    return action


def undo_decision(action: ModAction) -> None:
    """Undo the decision about an application. Until the next decision, the person can only read."""
    if action.person is None:
        raise ValueError("a decision about an application has a person")
    application = Application.objects.select_related("user").locked(action.person.application.pk)
    _set_accepted(application, None)


def _last_decision(person: User) -> ModAction | None:
    decisions = ModAction.objects.filter(person=person, kind__in=DECISIONS, undone_at=None)
    return decisions.select_related("by").order_by("-pk").first()


def _set_accepted(application: Application, accepted: bool | None) -> None:
    application.accepted = accepted
    application.save(update_fields=["accepted"])
    _set_applicant(application.user, accepted is not True)


def _set_applicant(person: User, is_applicant: bool) -> None:
    person.is_applicant = is_applicant
    person.save(update_fields=["is_applicant"])
