"""Removes second factors of people who lost them, and emails these people."""

from collections import defaultdict
from typing import Any

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.db.models import QuerySet

from forum.models import User

MAILS = {
    Authenticator.Type.TOTP: "mfa/email/totp_deactivated",
    Authenticator.Type.WEBAUTHN: "mfa/email/webauthn_removed",
    Authenticator.Type.RECOVERY_CODES: "mfa/email/recovery_codes_removed",
}
"""The emails about removed factors, in the order of sending."""


def remove(factors: QuerySet[Any]) -> list[User]:
    """Delete second factors, and email the people who used them. Return these people by name.

    Also deletes a person's recovery codes if the person has no other second factor left. Codes
    alone would lock the person out.
    """
    removed: dict[User, set[str]] = defaultdict(set)
    for factor in factors.select_related("user").order_by("user__username"):
        removed[factor.user].add(factor.type)
    factors.delete()
    codes = Authenticator.objects.filter(user__in=removed)
    with_more = codes.exclude(type=Authenticator.Type.RECOVERY_CODES).values("user")
    codes.exclude(user__in=with_more).delete()
    for person, types in removed.items():
        if not get_adapter().is_mfa_enabled(person):
            types.discard(Authenticator.Type.RECOVERY_CODES)
        for mail in (MAILS[one] for one in MAILS if one in types):
            get_account_adapter().send_notification_mail(mail, person)
    return list(removed)
