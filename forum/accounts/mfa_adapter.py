"""Second factors: what is refused, in the site's words."""

from typing import ClassVar

from allauth.mfa.adapter import DefaultMFAAdapter
from django.utils.translation import gettext_lazy

UNVERIFIED_EMAIL = gettext_lazy("To turn the second factor on, confirm your email address first.")


class FactorAdapter(DefaultMFAAdapter):
    """Called by the library wherever a second factor is set up or asked for."""

    error_messages: ClassVar = DefaultMFAAdapter.error_messages | {
        "cannot_generate_recovery_codes": gettext_lazy(
            "Recovery codes are for people with a second factor. Turn that on first."
        ),
        "incorrect_code": gettext_lazy("That code is wrong, or no longer the newest of the app."),
    }
