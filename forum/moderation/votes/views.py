"""The page on which moderators void the votes that some accounts cast in a time span."""

from datetime import datetime
from functools import partial
from typing import Any, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from forum.actions import security_log
from forum.errors import Forbidden
from forum.identity.network import network_hash
from forum.identity.viewers import member, powers
from forum.models import Group, SecurityEvent, User
from forum.moderation.access import moderators_only
from forum.moderation.actions import vote_voids
from forum.moderation.void_links import usual_since
from forum.moderation.votes import queries
from forum.moderation.votes.forms import VotesForm
from forum.web.forms.reasons import ReasonForm
from forum.web.methods import require_form
from forum.web.problems import Problem, problem_above_form
from forum.web.redirects import redirect_303

TWICE = "2"
"""The value of the button with which a moderator confirms for the second time."""


class Chosen(TypedDict):
    """The votes that a moderator chose."""

    people: list[User]
    group: Group | None
    since: datetime
    until: datetime
    by: User


@require_form
@moderators_only
def void_votes(request: HttpRequest) -> HttpResponse:
    """Show the form, then what would change, then void the votes. Large numbers ask twice.

    The query string may have the accounts and the time span. Then GET shows what would change.
    """
    form = _form(request)
    if not form.is_valid():
        return _page(request, form, status=422 if request.method == "POST" else 200)
    votes: Chosen = {
        "people": form.cleaned_data["accounts"],
        "group": form.group(),
        "since": form.cleaned_data["since"],
        "until": form.cleaned_data["until"],
        "by": member(request),
    }
    try:
        voidable = vote_voids.votes_to_void(**votes)
    except Forbidden as error:
        return problem_above_form(request, error, partial(_page, request, form))
    effect = queries.effect(voidable, least=1 if powers(request).is_admin else 2)
    _record_preview(request, votes)
    sure = request.POST.get("sure", "")
    reason_form = ReasonForm(request.POST if sure else None)
    if not sure or not effect.votes or not reason_form.is_valid():
        status = 422 if sure else 200
        return _page(request, form, status=status, effect=effect, reason_form=reason_form)
    reason = reason_form.cleaned_data["reason"]
    if effect.is_mass and sure != TWICE:
        return _page(request, form, effect=effect, reason=reason)
    action = vote_voids.void_votes(**votes, reason=reason)
    messages.success(request, _("The votes are being voided. This page shows the progress."))
    return redirect_303(action.get_absolute_url())


def _record_preview(request: HttpRequest, votes: Chosen) -> None:
    """Record in the security log whose votes a preview is about.

    If a post loses two points by two accounts, the preview shows how both voted.
    """
    group = votes["group"]
    security_log.record(
        SecurityEvent.Kind.VOID_PREVIEW,
        person_id=None,
        by_id=votes["by"].pk,
        network=network_hash(request),
        details={
            "accounts": ", ".join(str(one.pk) for one in votes["people"]),
            "group": group.slug if group else "",
            "since": votes["since"].isoformat(),
            "until": votes["until"].isoformat(),
        },
    )


def _form(request: HttpRequest) -> VotesForm:
    """Return the form, filled and checked if accounts were sent, or are in the query string."""
    initial: dict[str, Any] = {"since": usual_since(), "place": request.GET.get("place", "")}
    if request.method == "POST":
        if "change" not in request.POST:
            return VotesForm(request.POST, powers=powers(request), initial=initial)
        sent = {name: request.POST.get(name, "") for name in ("accounts", "place")}
        times = {name: _time(request.POST.get(name, "")) for name in ("since", "until")}
        return VotesForm(powers=powers(request), initial=initial | sent | times)
    if {"accounts", "since"} <= request.GET.keys():
        return VotesForm(request.GET, powers=powers(request), initial=initial)
    initial["accounts"] = request.GET.get("accounts", "")
    return VotesForm(powers=powers(request), initial=initial)


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _page(
    request: HttpRequest,
    form: VotesForm,
    *,
    problem: Problem | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = {"form": form, "nav": "queue", "problem": problem} | more
    context["names_all"] = powers(request).is_admin
    if form.is_bound and form.is_valid():
        context |= {"chosen": form.cleaned_data, "group": form.group()}
    return render(request, "moderation/void_votes.html", context, status=status)
