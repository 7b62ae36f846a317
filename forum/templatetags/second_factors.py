"""What the accounts library refuses of second factors and addresses: known before a form is shown.

It takes no second factor beside an address that may be somebody else's, nor the other way round,
unless `MFA_ALLOW_UNVERIFIED_EMAIL` says so: who owns the address could never get in again.
"""

from allauth.account.models import EmailAddress
from allauth.mfa import app_settings
from allauth.mfa.utils import is_mfa_enabled
from django import template

from forum.models import User

register = template.Library()


@register.filter
def keeps_addresses(user: User) -> bool:
    """Say whether a second factor keeps a person from adding an address."""
    return not app_settings.ALLOW_UNVERIFIED_EMAIL and bool(is_mfa_enabled(user))


@register.filter
def owes_confirmation(user: User) -> bool:
    """Say whether an unconfirmed address keeps a person from a second factor."""
    if app_settings.ALLOW_UNVERIFIED_EMAIL:
        return False
    return bool(EmailAddress.objects.filter(user=user, verified=False).exists())
