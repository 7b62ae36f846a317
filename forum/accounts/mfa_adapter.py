"""The errors of two-factor authentication, in the site's words."""

from typing import ClassVar

from allauth.mfa.adapter import DefaultMFAAdapter
from django.utils.translation import gettext_lazy

UNVERIFIED_EMAIL = gettext_lazy(
    "Confirm your email address before you turn on two-factor authentication."
)


class FactorAdapter(DefaultMFAAdapter):
    """Called by the library wherever two-factor authentication is set up or required."""

    error_messages: ClassVar = DefaultMFAAdapter.error_messages | {
        "cannot_generate_recovery_codes": gettext_lazy(
            "Recovery codes need two-factor authentication. Turn it on first."
        ),
        "incorrect_code": gettext_lazy(
            "That code is wrong or has expired. Enter the code that the app shows now."
        ),
    }
