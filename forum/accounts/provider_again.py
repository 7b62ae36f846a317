"""Asks people to log in at their OpenID Connect provider again before a sensitive change.

django-allauth can ask again for passwords, codes and passkeys, but not for a log-in at a provider.
So the account adapter calls `is_due` to decide whether to ask, and offers `ProviderAgainView` as a
way to answer. The button there leads to the provider with allauth's process `redirect`, which logs
nobody in. When the person returns, `SocialAdapter` calls `confirm`.
"""

from time import time
from typing import Any

from allauth.account import app_settings
from allauth.account.authentication import (
    AUTHENTICATION_METHODS_SESSION_KEY,
    get_authentication_records,
)
from allauth.account.views import BaseReauthenticateView
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django import forms
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse

from forum.config.openid import openid_providers
from forum.models import User
from forum.web.login_required import login_required
from forum.web.methods import require_safe


def providers_of(person: User | AnonymousUser) -> list[dict[str, Any]]:
    """Return the site's providers with which a person can log in; none for guests."""
    connected = SocialAccount.objects.filter(user_id=person.pk).values_list("provider", flat=True)
    return [one for one in openid_providers() if one["provider_id"] in set(connected)]


def is_due(request: HttpRequest) -> bool:
    """Return whether a person with a provider must confirm their identity again in some way."""
    return bool(providers_of(request.user)) and not _is_confirmed(request)


def confirm(request: HttpRequest, login: SocialLogin) -> bool:
    """Record that a person has logged in at a provider again, if the account there is theirs.

    Returns whether it is.
    """
    if login.user is None or login.user.pk != request.user.pk:
        return False
    used = {"method": "socialaccount", "at": time(), "reauthenticated": True}
    used |= {"provider": login.account.provider, "uid": login.account.uid}
    records = get_authentication_records(request, request.user)
    request.session[AUTHENTICATION_METHODS_SESSION_KEY] = [*records, used]
    return True


def _is_confirmed(request: HttpRequest) -> bool:
    """Return whether a person confirmed their identity again within the last minutes."""
    after = time() - app_settings.REAUTHENTICATION_TIMEOUT
    records = get_authentication_records(request, request.user)
    return any(used.get("reauthenticated") and used["at"] > after for used in records)


class ProviderAgainView(BaseReauthenticateView):
    """The page from which people go to their provider again, and to which they return."""

    form_class = forms.Form
    template_name = "socialaccount/reauthenticate.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show a button for each provider. After the return, go on with the sensitive change."""
        if _is_confirmed(request):
            answer: HttpResponse = self.form_valid(self.get_form())
            return answer
        page: HttpResponse = super().get(request, *args, **kwargs)
        return page

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        return context | {"providers": providers_of(self.request.user)}


provider_again = require_safe(login_required(ProviderAgainView.as_view()))
