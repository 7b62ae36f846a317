"""Decides whether a person may add a second factor: an authenticator app or a passkey."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views import View

from forum.accounts.adapter import UNVERIFIED_EMAIL
from forum.identity.viewers import member
from forum.queries.email_addresses import has_unconfirmed_email


class NewFactorPage(View):
    """A page that adds a second factor. People with an unconfirmed email address can't.

    The address may belong to somebody else. People who already use two-factor authentication may
    add an address and confirm it later; `MFA_ALLOW_UNVERIFIED_EMAIL = False` would forbid that too.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and has_unconfirmed_email(member(request)):
            messages.error(request, UNVERIFIED_EMAIL)
            return redirect("mfa_index")
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answer
