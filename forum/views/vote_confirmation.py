"""Asking a person who has just logged in about the vote that led them there."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from forum.identity.viewers import member
from forum.web import pending_votes
from forum.web.methods import require_form
from forum.web.redirects import onward, see


@require_form
@login_required
def confirm(request: HttpRequest) -> HttpResponse:
    """Show what the vote is on and ask; cast it if the answer is yes. Leads to `next` then."""
    back, person = onward(request, "/"), member(request)
    wish = pending_votes.waiting(request, person.pk)
    if wish and request.method != "POST":
        return render(request, "vote_confirm.html", {"wish": wish, "next": back})
    waited = pending_votes.forget(request)
    if wish and request.POST.get("answer") == "yes":
        pending_votes.grant(request, wish, person.pk, back)
    elif waited and not wish:
        messages.warning(request, _("What you wanted to vote on is no longer here."))
    return see(back)
