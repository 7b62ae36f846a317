"""Second factors: what the library refuses of them, in the site's words."""

from typing import ClassVar

from allauth.mfa.adapter import DefaultMFAAdapter
from django.utils.translation import gettext_lazy


class FactorAdapter(DefaultMFAAdapter):
    """Called by the library wherever a second factor is set up or asked for."""

    error_messages: ClassVar = DefaultMFAAdapter.error_messages | {
        "add_email_blocked": gettext_lazy("To add an address, turn your second factor off first."),
        "cannot_generate_recovery_codes": gettext_lazy(
            "Recovery codes are for people with a second factor. Turn that on first."
        ),
        "incorrect_code": gettext_lazy("That code is wrong, or no longer the newest of the app."),
        "unverified_email": gettext_lazy(
            "To turn the second factor on, confirm your email address first."
        ),
    }
