"""A person's email addresses: the library's page, which says what came of asking for a mail."""

from typing import Any

from allauth.account import views as account_views
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

CHOOSING = {"action_send", "action_primary", "action_remove"}
"""The buttons that do something with the address that is chosen."""


class AddressesView(account_views.EmailView):
    """The library sends a confirmation again three minutes after the last at the earliest, and says
    nothing where it sends none.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        problem = _problem(request)
        if problem:
            messages.warning(request, problem)
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


def _problem(request: HttpRequest) -> str:
    """Return why nothing can be done with the address that was chosen, or nothing. (PostgreSQL
    refuses to look for some characters.)
    """
    if CHOOSING.isdisjoint(request.POST):
        return ""
    given = request.POST.get("email", "")
    own = EmailAddress.objects.filter(user_id=request.user.pk)
    chosen = own.filter(email__iexact=given).first() if given.isprintable() else None
    if chosen is None:
        return _("Choose one of your addresses first.")
    if "action_send" in request.POST and chosen.verified:
        told = _("%(email)s is confirmed already. Choose the address that is not.")
        return told % {"email": chosen.email}
    return ""


addresses = AddressesView.as_view()
