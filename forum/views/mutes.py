"""The page on which people mute words and domains."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions import mutes as service
from forum.identity.viewers import member
from forum.models import Mute
from forum.web.addresses import is_number
from forum.web.forms.mutes import MuteForm
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.redirects import redirect_303


@require_form
@login_required
def mutes(request: HttpRequest) -> HttpResponse:
    """Show the viewer's mutes (GET), or add or remove a mute (POST)."""
    person = member(request)
    if is_number(request.POST.get("unmute", "")):
        service.unmute(person, int(request.POST["unmute"]))
        messages.success(request, _("The word or domain is no longer muted."))
        return redirect_303(reverse("mutes"))
    form = MuteForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _mute(request, form):
        return redirect_303(reverse("mutes"))
    context = {"form": form, "mutes": person.mutes.order_by("kind", "text"), "nav": "preferences"}
    return render(request, "mutes.html", context, status=422 if form.is_bound else 200)


def _mute(request: HttpRequest, form: MuteForm) -> bool:
    """Mute the word or domain in the form and return True.

    If that fails, add an error to the form and return False.
    """
    kind, text = Mute.Kind(form.cleaned_data["kind"]), form.cleaned_data["text"]
    try:
        service.mute(member(request), kind, text)
    except ValidationError as error:
        form.add_error("text", error)
        return False
    messages.success(request, _("You now mute “%(text)s”.") % {"text": text})
    return True
