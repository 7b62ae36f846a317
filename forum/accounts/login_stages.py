"""Steps between a right password and being in."""

from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage
from django.http import HttpResponse

from forum.models import User

STAGES = {
    "allauth.account.stages.EmailVerificationStage": "forum.accounts.login_stages.AddressStage"
}
"""Those that are ours, by the library's."""


class AddressStage(EmailVerificationStage):
    """Where the site wants a confirmed address, log-in waits for it. Who has given none (made by
    staff, or before the site wanted any) gets in: a mail to them has nowhere to go.
    """

    def handle(self) -> tuple[HttpResponse | None, bool]:
        if self.login.user and not has_address(self.login.user):
            return None, True
        response, goes_on = super().handle()
        return response, goes_on


def has_address(user: User) -> bool:
    """Say whether somebody has given any address. One query, or none."""
    return bool(user.email) or EmailAddress.objects.filter(user=user).exists()
