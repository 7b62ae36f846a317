"""Turning on a second factor: the library's page."""

from allauth.mfa.totp import views as app_views
from django.http import HttpResponse

from forum.forms.accounts import ActivateAppForm
from forum.visiting import sessions


class ActivateView(app_views.ActivateTOTPView):
    """Whoever got in without the second factor, by a password that leaked say, is out then."""

    def form_valid(self, form: ActivateAppForm) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        sessions.end_others(self.request)
        return answer


activate = ActivateView.as_view()
