"""The page on which people create and revoke their tokens."""

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.api import tokens
from forum.identity.viewers import member
from forum.models import ApiToken
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST
from forum.web.redirects import redirect_303


class TokenForm(forms.Form):
    """The form for a new token: its name, and what programs may do with it."""

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
    use_required_attribute = False


@require_form
@login_required
def page(request: HttpRequest) -> HttpResponse:
    """Show the viewer's tokens (GET), or create a token and show it (POST).

    Only the response to the POST can show the token, because only a hash is stored.
    """
    person, token = member(request), ""
    form = TokenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            token = tokens.create(user=person, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
    context = {
        "form": form,
        "token": token,
        "tokens": ApiToken.objects.filter(user=person).order_by("-created_at"),
        "nav": "preferences",
    }
    status = 422 if form.is_bound and not token else 200
    return render(request, "api_tokens.html", context, status=status)


@require_POST
@login_required
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Make one of the viewer's tokens stop working."""
    tokens.revoke(user=member(request), token_id=token_id)
    messages.success(request, _("The token was revoked."))
    return redirect_303(reverse("api_tokens"))
