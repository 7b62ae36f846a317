"""A person's email addresses: the library's page, which says what came of asking for a mail."""

from typing import Any

from allauth.account import views as account_views
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _


class AddressesView(account_views.EmailView):
    """The library sends a confirmation again three minutes after the last at the earliest, and says
    nothing where it sends none.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        chosen = request.POST.get("email", "")
        if "action_send" in request.POST and _is_confirmed(request, chosen):
            told = _("%(email)s is confirmed already. Choose the address that is not.")
            messages.info(request, told % {"email": chosen})
            return redirect("account_email")
        answer: HttpResponse = super().post(request, *args, **kwargs)
        if "action_send" in request.POST and not self._did_send_verification_email:
            messages.warning(
                request,
                _(
                    "A mail went there less than three minutes ago. Look among the spam, too, and "
                    "wait a moment before you ask for another."
                ),
            )
        return answer


def _is_confirmed(request: HttpRequest, email: str) -> bool:
    own = EmailAddress.objects.filter(user_id=request.user.pk, email__iexact=email)
    return bool(own.filter(verified=True).exists())


addresses = AddressesView.as_view()
