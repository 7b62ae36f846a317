"""Changing the bio and preferences of one's own profile."""

from collections.abc import Collection

from django.utils import timezone
from django.utils.translation import gettext as _

from forum.errors import Invalid
from forum.identity import permissions
from forum.models import InboxItem, User
from forum.queries.email_addresses import confirmed_address, unconfirmed_address

BIO = "about"
"""The key of a removed bio in the details of the moderators' action that removed it."""


def set_about(person: User, about: str, *, by: User) -> None:
    """Change the bio of a person.

    Raises Forbidden if `by` is somebody else, and Banned if `by` is banned from the site.
    """
    permissions.require_self(by, person)
    permissions.require_not_banned(by)
    person.about = about
    person.save(update_fields=["about"])


def blank_about(person: User, *, by: User) -> str:
    """Remove a person's bio, as moderators do, and return it.

    Call this in the transaction of the action, which keeps the bio so that it can be restored.
    Raises Forbidden unless `by` may change the account data of the person.
    """
    permissions.require_account_change(by, person)
    person.refresh_from_db(fields=["about"])
    about, person.about = person.about, ""
    person.save(update_fields=["about"])
    return about


def restore_about(person: User, about: str) -> None:
    """Restore a bio that `blank_about` returned, unless the person wrote another one meanwhile."""
    person.refresh_from_db(fields=["about"])
    if about and not person.about:
        person.about = about
        person.save(update_fields=["about"])


def set_preferences(
    person: User,
    *,
    muted: Collection[InboxItem.Kind],
    watches_own: bool,
    mails_replies: bool,
    mails_mentions: bool,
    mails_watched: bool,
    mails_moderators: bool,
    digest: str,
    keeps_history: bool,
    hides_read: bool,
) -> None:
    """Save a person's preferences. The first digest is sent a full day or week after the change.

    Raises Invalid, with a message for the person, if the person wants emails but has no confirmed
    address.
    """
    mails = mails_replies, mails_mentions, mails_watched, mails_moderators
    if (any(mails) or digest != User.Digest.NONE) and not confirmed_address(person):
        raise Invalid(_why_no_mail(person))
    if digest != person.digest:
        person.digest_at = timezone.now()
    chosen = {
        "muted": [kind.value for kind in muted],
        "watches_own": watches_own,
        "mails_replies": mails_replies,
        "mails_mentions": mails_mentions,
        "mails_watched": mails_watched,
        "mails_moderators": mails_moderators,
        "digest": digest,
        "keeps_history": keeps_history,
        "hides_read": hides_read,
    }
    for name, value in chosen.items():
        setattr(person, name, value)
    person.save(update_fields=[*chosen, "digest_at"])


def _why_no_mail(person: User) -> str:
    address = unconfirmed_address(person)
    if address:
        first = _(
            "Please confirm %(address)s first: open the link in the"
            " email that we sent to this address."
        )
        return first % {"address": address}
    return _("Your account has no email address. Add one to get email.")
