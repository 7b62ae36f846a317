"""A person's preferences, and unsubscribing from email."""

from copy import copy
from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from forum.actions import profiles, unsubscribe_links
from forum.errors import Invalid
from forum.identity.viewers import member
from forum.queries import social
from forum.web import addresses, error_responses
from forum.web.forms.preferences import PreferencesForm
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.redirects import redirect_303


@require_form
@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    """Show and save a person's preferences, and list the people whom they block."""
    sent = request.method == "POST"
    person = member(request)
    # A copy, since a model form changes its instance while it validates.
    form = PreferencesForm(request.POST if sent else None, instance=copy(person))
    if form.is_valid() and _save(request, form):
        return redirect_303(reverse("preferences"))
    address = addresses.read(request.path, "", request.GET)
    blocked = social.blocked(person, address.number)
    listed = {"blocked": blocked, "address": replace(address, number=blocked.number)}
    context = {"form": form, "nav": "preferences"} | listed
    return render(request, "preferences.html", context, status=422 if sent else 200)


def _save(request: HttpRequest, form: PreferencesForm) -> bool:
    """Save the preferences and return True.

    If that fails, add the reason to the form and return False.
    """
    try:
        profiles.set_preferences(member(request), **form.cleaned_data)
    except Invalid as error:
        form.add_error(None, str(error))
        return False
    messages.success(request, _("Your preferences were saved."))
    return True


@csrf_exempt
@require_form
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe a person from one kind of email: on a page, or with a mail program's button.

    Mail programs send the POST themselves (RFC 8058). The signed link identifies the person, so
    neither log-in nor a CSRF token is needed.
    """
    subscription = unsubscribe_links.read(token)
    if subscription is None:
        return error_responses.refuse(
            request, 404, _("This link is incomplete. Copy the whole link from the email.")
        )
    if request.method == "POST":
        unsubscribe_links.unsubscribe(*subscription)
    context = {"mail": subscription[1].value, "done": request.method == "POST"}
    return render(request, "unsubscribe.html", context)
