"""A person's history: the posts that they have viewed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.identity.viewers import member
from forum.store.service import get_voting_service
from forum.web import error_responses, person_list_pages
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.redirects import redirect_303
from voting.errors import StoreUnavailable
from voting.types.person_lists import PersonList


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """Show the posts in a person's history, latest first."""
    context = person_list_pages.list_context(request, member(request), PersonList.VIEWED)
    return render(request, "history.html", context)


@require_form
@login_required
def clear(request: HttpRequest) -> HttpResponse:
    """Ask for confirmation (GET), or clear the history (POST)."""
    if request.method != "POST":
        return render(request, "history_clear.html")
    try:
        get_voting_service().person_lists.clear_viewed(member(request).pk)
    except StoreUnavailable:
        sentence = _("The history can't be cleared right now. Please try again in a moment.")
        return error_responses.refuse(request, 503, sentence, bare=True)
    messages.success(request, _("Your history was cleared."))
    return redirect_303(reverse("history"))
