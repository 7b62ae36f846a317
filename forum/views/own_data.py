"""The pages on which people get a copy of their data, and delete their account."""

from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from forum.actions import account_deletions, data_exports
from forum.errors import Invalid
from forum.identity.network import network_hash
from forum.identity.viewers import member
from forum.web.forms.account_deletion import DeletionForm
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.reauthentication import reauthenticated, reauthenticated_to_post
from forum.web.redirects import redirect_303


@require_form
@login_required
@reauthenticated_to_post
def own_data(request: HttpRequest) -> HttpResponse:
    """Show the viewer's copy of their data (GET), or ask for one (POST)."""
    person = member(request)
    if request.method == "POST":
        try:
            data_exports.ask(person, network=network_hash(request))
        except Invalid as error:
            messages.info(request, str(error))
        return redirect_303(reverse("own_data"))
    context = {"export": data_exports.find(person), "nav": "preferences"}
    return render(request, "own_data.html", context)


@require_safe
@login_required
@reauthenticated
def download(request: HttpRequest) -> HttpResponse:
    """Send the file with the viewer's data. Raises Http404 if there is none."""
    content = data_exports.content_of(member(request))
    if not content:
        raise Http404("no export")
    headers = {"Content-Disposition": 'attachment; filename="my-data.zip"'}
    return HttpResponse(content, content_type="application/zip", headers=headers)


@require_form
@login_required
@reauthenticated_to_post
def delete_account(request: HttpRequest) -> HttpResponse:
    """Show the form for deleting the viewer's account (GET), or ask for the deletion (POST)."""
    sent = request.method == "POST"
    form = DeletionForm(request.POST if sent else None)
    if form.is_valid():
        erasure = account_deletions.ask(
            member(request), keeps_texts=form.keeps_texts, network=network_hash(request)
        )
        logout(request)
        sentence = _("Your account will be deleted on %(date)s. To keep it, log in before.")
        messages.success(request, sentence % {"date": date_format(erasure.due_at)})
        return redirect_303(reverse("front"))
    context = {"form": form, "days": account_deletions.WAIT.days, "nav": "preferences"}
    return render(request, "account_deletion.html", context, status=422 if sent else 200)
