"""A person's email addresses: the library's page, which says what came of asking for a mail.

Whatever changes an address asks for the password first (`ACCOUNT_REAUTHENTICATION_REQUIRED`), and
the address that the person had before is told.
"""

from typing import Any

from allauth.account import views as account_views
from allauth.account.adapter import get_adapter
from allauth.account.forms import AddEmailForm
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
        chosen = None if CHOOSING.isdisjoint(request.POST) else _chosen(request)
        problem = _problem(request, chosen)
        if problem:
            messages.warning(request, problem)
            return redirect("account_email")
        answer: HttpResponse = super().post(request, *args, **kwargs)
        if chosen and chosen.verified and not EmailAddress.objects.filter(pk=chosen.pk).exists():
            get_adapter(request).notify_removed(request.user, chosen.email)
        if "action_send" in request.POST and not self._did_send_verification_email:
            messages.warning(
                request,
                _(
                    "A mail went there less than three minutes ago. Look among the spam, too, and "
                    "wait a moment before you ask for another."
                ),
            )
        return answer

    def form_valid(self, form: AddEmailForm) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        added = {"added_email": form.cleaned_data["email"]}
        adapter = get_adapter(self.request)
        adapter.send_notification_mail("account/email/email_added", self.request.user, added)
        return answer


def _chosen(request: HttpRequest) -> EmailAddress | None:
    """Return the person's address that a form names. PostgreSQL can't look for some characters."""
    given = request.POST.get("email", "")
    own = EmailAddress.objects.filter(user_id=request.user.pk)
    return own.filter(email__iexact=given).first() if given.isprintable() else None


def _problem(request: HttpRequest, chosen: EmailAddress | None) -> str:
    """Return why nothing can be done with the chosen address; "" if it can."""
    if CHOOSING.isdisjoint(request.POST):
        return ""
    if chosen is None:
        return _("Choose one of your addresses first.")
    if "action_send" in request.POST and chosen.verified:
        told = _("%(email)s is confirmed already. Choose the address that is not.")
        return told % {"email": chosen.email}
    if "action_primary" in request.POST and not chosen.verified:
        return _("Only a confirmed address can get your mail.")
    return ""


addresses = AddressesView.as_view()
