"""What a person viewed lately, and whether that is remembered."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.identity.viewers import member
from forum.rendering import person_list_pages
from forum.web import error_responses, switches
from forum.web.methods import require_form, require_POST, require_safe
from forum.web.redirects import or_log_in, see
from voting.errors import StoreUnavailable
from voting.types.person_lists import Kept

SETTINGS = ("keeps_history", "hides_read")


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """Show people what they viewed, the newest first. Two round trips."""
    context = person_list_pages.shown(request, member(request), Kept.VIEWED)
    return render(request, "history.html", context)


@require_form
@login_required
def clear(request: HttpRequest) -> HttpResponse:
    """Ask first; forget what a person viewed when the answer comes. One round trip."""
    if request.method != "POST":
        return render(request, "history_clear.html")
    try:
        get_voting_service().lists.clear_viewed(member(request).pk)
    except StoreUnavailable:
        sentence = _("The list is resting for a moment and was not cleared. Try again soon.")
        return error_responses.refuse(request, 503, sentence, bare=True)
    messages.success(request, _("What you viewed is forgotten."))
    return see(reverse("history"))


@require_POST
@or_log_in
def setting(request: HttpRequest) -> HttpResponse:
    """Switch recording, or leaving out of lists what was read."""
    person = member(request)
    sent = {name: switches.read(request, name) for name in SETTINGS}
    changed = [name for name, on in sent.items() if on is not None]
    if not changed:
        return error_responses.bad_request(request, _("A setting is on or off: 1 or 0."))
    for name in changed:
        setattr(person, name, sent[name])
    person.save(update_fields=changed)
    messages.success(request, _("Your setting is saved."))
    return see(reverse("history"))
