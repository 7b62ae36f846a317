"""Turning on two-factor authentication: the library's page.

The library either forbids unconfirmed email addresses together with two-factor authentication, or
allows them (`MFA_ALLOW_UNVERIFIED_EMAIL`). Here people may add an address afterwards, but not turn
two-factor authentication on while they have an unconfirmed one: it may belong to somebody else, who
then could never use it.
"""

from typing import Any

from allauth.mfa.totp import views as app_views
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from forum.accounts.forms import ActivateAppForm
from forum.accounts.mfa_adapter import UNVERIFIED_EMAIL
from forum.identity import sessions
from forum.identity.viewers import member
from forum.queries.email_addresses import has_unconfirmed_email


class ActivateView(app_views.ActivateTOTPView):
    """Ends the person's other sessions: somebody who only knew the password may have one."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and has_unconfirmed_email(member(request)):
            messages.error(request, UNVERIFIED_EMAIL)
            return redirect("mfa_index")
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answer

    def form_valid(self, form: ActivateAppForm) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        sessions.end_others(self.request)
        return answer


activate = ActivateView.as_view()
