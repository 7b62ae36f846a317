"""Asks people who have just logged in to confirm the vote or follow that they began as guests."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from forum.identity.viewers import member
from forum.web import pending_actions
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.redirects import next_page, redirect_303


@require_form
@login_required
def confirm(request: HttpRequest) -> HttpResponse:
    """Ask whether a person still wants the vote or follow (GET). If so, perform it (POST).

    Then redirect to `next`.
    """
    back = next_page(request, "/")
    action = pending_actions.waiting(request, member(request).pk)
    if action and request.method != "POST":
        return render(request, action.template, {"pending": action, "next": back})
    if action and request.POST.get("answer") == "yes":
        action.perform(request, back)
    if pending_actions.forget(request) and action is None:
        messages.warning(
            request, _("The vote or follow is no longer possible, so nothing was saved.")
        )
    return redirect_303(back)
