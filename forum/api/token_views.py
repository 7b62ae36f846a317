"""The page on which people create and revoke their tokens."""

from datetime import date, timedelta
from typing import cast

from allauth.mfa.adapter import get_adapter
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.api import tokens
from forum.identity import factors
from forum.identity.network import network_hash
from forum.identity.viewers import member, powers
from forum.models import ApiToken
from forum.text.sentences import sentence_space
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST
from forum.web.reauthentication import reauthenticated_to_post
from forum.web.redirects import redirect_303

LONGEST_LIFE = timedelta(days=3_653)
"""The last day of a token can be ten years from now, at most."""


class TokenForm(forms.Form):
    """The form for a new token: its name, what programs may do with it, and until when.

    Only moderators can create tokens that moderate, and only after they used a second factor.
    `factor_link` leads to the page where they use it; None if they did so recently.
    """

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=ApiToken._meta.get_field("name").max_length,
        help_text=gettext_lazy("For example, the name of the program that will use the token."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What programs may do with the token"),
        choices=ApiToken.Scope.choices,
        initial=[ApiToken.Scope.READ],
        widget=forms.CheckboxSelectMultiple,
    )
    last_day = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        initial=tokens.last_day_by_default,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        help_text=gettext_lazy(
            "After this day (UTC) the token stops working. Without a date, it works for 90 days."
        ),
    )
    use_required_attribute = False

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        moderates: bool,
        factor_link: SafeString | None = None,
    ) -> None:
        super().__init__(data)
        self.factor_link = factor_link
        if not moderates:
            scopes = cast(forms.MultipleChoiceField, self.fields["scopes"])
            scopes.choices = [
                (value, label)
                for value, label in ApiToken.Scope.choices
                if value != ApiToken.Scope.MODERATE
            ]

    def clean_scopes(self) -> list[str]:
        """Refuse tokens that moderate, unless a second factor was used recently."""
        scopes: list[str] = self.cleaned_data["scopes"]
        if self.factor_link and ApiToken.Scope.MODERATE in scopes:
            sentence = _("A token that moderates needs a second factor from the last 12 hours.")
            link = self.factor_link
            raise ValidationError(format_html("{}{}{}", sentence, sentence_space(), link))
        return scopes

    def clean_last_day(self) -> date | None:
        """Refuse days that are over, and days in the far future."""
        last: date | None = self.cleaned_data["last_day"]
        today = timezone.now().date()
        if last and not today <= last <= today + LONGEST_LIFE:
            raise ValidationError(_("Choose a day within the next ten years."))
        return last


@require_form
@login_required
@reauthenticated_to_post
def page(request: HttpRequest) -> HttpResponse:
    """Show the viewer's tokens (GET), or create a token and show it (POST).

    Before a token is created, the person enters the password or uses a passkey again.

    Only the response to the POST can show the token, because only a hash is stored.
    """
    person, token = member(request), ""
    moderates = powers(request).moderates
    link = _factor_link(request) if moderates else None
    given = request.POST if request.method == "POST" else None
    form = TokenForm(given, moderates=moderates, factor_link=link)
    if form.is_valid():
        try:
            network = network_hash(request)
            token = tokens.create(user=person, network=network, **form.cleaned_data)
            form = TokenForm(moderates=moderates)
        except ValidationError as error:
            form.add_error(None, error)
    context = {
        "form": form,
        "token": token,
        "tokens": ApiToken.objects.filter(user=person).order_by("-created_at"),
        "nav": "preferences",
    }
    status = 422 if form.is_bound else 200
    return render(request, "api_tokens.html", context, status=status)


def _factor_link(request: HttpRequest) -> SafeString | None:
    """Return a link to the page for using a second factor; None if one was used recently."""
    if factors.used_recently(request):
        return None
    if not get_adapter().is_mfa_enabled(member(request)):
        text = _("Turn on two-factor authentication")
        return format_html('<a href="{}">{}</a>', reverse("mfa_index"), text)
    address = reverse("mfa_reauthenticate", query={"next": reverse("api_tokens")})
    return format_html('<a href="{}">{}</a>', address, _("Use it now"))


@require_POST
@login_required
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Make one of the viewer's tokens stop working."""
    tokens.revoke(user=member(request), token_id=token_id, network=network_hash(request))
    messages.success(request, _("The token was revoked."))
    return redirect_303(reverse("api_tokens"))
