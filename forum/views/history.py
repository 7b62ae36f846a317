"""What a person viewed lately, and whether that is remembered."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.methods import require_form, require_POST, require_safe
from forum.pages import kept_pages, refusals, switches
from forum.pages.returning import or_log_in, see
from forum.store import voting
from forum.visiting.viewers import member
from voting.errors import StoreUnavailable
from voting.types.person_lists import Kept

SETTINGS = ("keeps_history", "hides_read")


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """Show people what they viewed, the newest first. Two round trips."""
    context = kept_pages.shown(request, member(request), Kept.VIEWED)
    return render(request, "history.html", context)


@require_form
@login_required
def clear(request: HttpRequest) -> HttpResponse:
    """Ask first; forget what a person viewed when the answer comes. One round trip."""
    if request.method != "POST":
        return render(request, "history_clear.html")
    try:
        voting().lists.clear_viewed(member(request).pk)
    except StoreUnavailable:
        sentence = _("The list is resting for a moment and was not cleared. Try again soon.")
        return refusals.refuse(request, 503, sentence, bare=True)
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
        return refusals.bad_request(request, _("A setting is on or off: 1 or 0."))
    for name in changed:
        setattr(person, name, sent[name])
    person.save(update_fields=changed)
    messages.success(request, _("Your setting is saved."))
    return see(reverse("history"))
