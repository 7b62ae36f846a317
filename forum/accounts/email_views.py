"""A person's email addresses: the library's page, with messages about what was sent.

Every change asks for the password first (`ACCOUNT_REAUTHENTICATION_REQUIRED`), and the email
address that the person had before is notified.
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
"""The buttons that act on the chosen email address."""


class AddressesView(account_views.EmailView):
    """Explains why nothing was done or sent. The library sends a confirmation at most every three
    minutes, and says nothing if it sends none.
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
                    "An email was sent there less than three minutes ago. Check your spam folder, "
                    "and wait a moment before you ask for another."
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
    """Return the person's address that a form names. PostgreSQL rejects unprintable characters."""
    given = request.POST.get("email", "")
    own = EmailAddress.objects.filter(user_id=request.user.pk)
    return own.filter(email__iexact=given).first() if given.isprintable() else None


def _problem(request: HttpRequest, chosen: EmailAddress | None) -> str:
    """Return why the button can't act on the chosen address; "" if it can."""
    if CHOOSING.isdisjoint(request.POST):
        return ""
    if chosen is None:
        return _("Choose one of your addresses first.")
    if "action_send" in request.POST and chosen.verified:
        return _("%(email)s is already confirmed.") % {"email": chosen.email}
    if "action_primary" in request.POST and not chosen.verified:
        return _("Only a confirmed address can be your primary one.")
    return ""


addresses = AddressesView.as_view()
