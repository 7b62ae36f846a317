"""The page on which moderators remove everything that a person wrote in a time span."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from forum.identity import permissions
from forum.identity.viewers import member, powers
from forum.models import User
from forum.moderation.access import moderators_only
from forum.moderation.actions import bulk
from forum.moderation.actions.bulk import Texts
from forum.moderation.bulk.forms import RemoveEverythingForm
from forum.web import profile_pages
from forum.web.methods import require_form
from forum.web.redirects import redirect_303


@require_form
@moderators_only
def remove_everything(request: HttpRequest, username: str) -> HttpResponse:
    """Show the form, then how many posts and comments it would remove, then start the removal."""
    person = profile_pages.find(username)
    permissions.require_not_self(member(request), person)
    is_sent = request.method == "POST" and "change" not in request.POST
    sent = request.POST if is_sent else None
    form = RemoveEverythingForm(sent, powers=powers(request), initial=_initial(request))
    if not form.is_valid():
        return _page(request, person, form, status=422 if form.is_bound else 200)
    chosen, group = form.cleaned_data, form.group()
    if "sure" not in request.POST:
        texts = Texts(person.pk, group.pk if group else None, chosen["since"], chosen["until"])
        return _page(request, person, form, texts=texts, group=group, **chosen)
    action = bulk.remove_everything(
        person,
        group=group,
        since=chosen["since"],
        until=chosen["until"],
        by=member(request),
        reason=chosen["reason"],
        is_private=chosen["is_private"],
        blanks_bio=chosen.get("blanks_bio", False),
    )
    messages.success(
        request, _("The posts and comments are being removed. This page shows the progress.")
    )
    return redirect_303(action.get_absolute_url())


def _initial(request: HttpRequest) -> dict[str, Any]:
    if "change" not in request.POST:
        return {"place": request.GET.get("group", "")}
    times = {name: parse_datetime(request.POST.get(name, "")) for name in ("since", "until")}
    return request.POST.dict() | times


def _page(
    request: HttpRequest, person: User, form: RemoveEverythingForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"person": person, "form": form, "nav": "queue"} | more
    return render(request, "moderation/remove_everything.html", context, status=status)
