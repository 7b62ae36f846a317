"""Asks for the deletion of an account, and cancels it.

The worker deletes the account seven days later (see `forum.actions.erasure`). Until then, the
person keeps the account by logging in.
"""

from datetime import timedelta

from allauth.account.adapter import get_adapter
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import credentials, security_log, staff_log
from forum.actions.erasure import ErasureSync
from forum.errors import Invalid
from forum.identity import permissions, sessions
from forum.models import Erasure, OutboxItem, SecurityEvent, User
from forum.store import outbox

WAIT = timedelta(days=7)
"""How long a person can change their mind."""


def ask(person: User, *, keeps_texts: bool, by: User | None = None, network: str = "") -> Erasure:
    """Ask for the deletion of a person's account, and notify the person by email.

    Ends all sessions, and revokes tokens and private feeds. `keeps_texts`: posts and comments stay
    without the name; otherwise they are removed. `by` is the member of staff who does this for the
    person. `network` is a hash for the security log.

    Raises Forbidden if `by` may not change the person's account, and Invalid if the account is
    being deleted already.
    """
    if by is not None:
        permissions.require_account_change(by, person)
    now = timezone.now()
    with transaction.atomic():
        User.lock(person.pk)
        if Erasure.objects.filter(user=person).exists():
            raise Invalid(_("This account is being deleted already."))
        erasure = Erasure.objects.create(
            user=person, keeps_texts=keeps_texts, by=by, asked_at=now, due_at=now + WAIT
        )
        security_log.record(
            SecurityEvent.Kind.DELETION,
            person_id=person.pk,
            by_id=by.pk if by else None,
            network=network,
        )
        staff_log.changed(by, [person], _("Asked for the deletion of the account."))
        credentials.revoke_all(person)
    sessions.end_all(person)
    context = {"due_at": erasure.due_at}
    get_adapter().send_notification_mail("account/email/account_deletion", person, context)
    return erasure


@transaction.atomic
def cancel(person: User, *, network: str = "") -> bool:
    """Keep a person's account, because the person logged in. Return whether it was to be deleted.

    Does nothing if the worker has begun. One query if the account isn't to be deleted.
    """
    waiting = Erasure.objects.filter(user=person, done_at=None)
    if not waiting.exists():
        return False
    User.lock(person.pk)
    if not User.objects.filter(pk=person.pk, is_active=True).exists():
        return False
    waiting.delete()
    security_log.record(SecurityEvent.Kind.KEPT, person_id=person.pk, network=network)
    return True


def begin_due() -> None:
    """Make the worker delete the accounts whose time has come.

    Also continues deletions that stopped because the site was moved.
    """
    running = OutboxItem.objects.filter(kind=ErasureSync.kind, subject_id=OuterRef("user_id"))
    due = Erasure.objects.filter(due_at__lte=timezone.now(), done_at=None)
    user_ids = due.exclude(Exists(running)).values_list("user_id", flat=True)
    outbox.write(*map(ErasureSync, user_ids))
