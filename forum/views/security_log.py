"""The page on which people see what happened to their account."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.actions.security_log import KEPT
from forum.identity.network import network_hash
from forum.identity.viewers import member
from forum.queries import security_log
from forum.web import addresses
from forum.web.login_required import login_required
from forum.web.methods import require_safe


@require_safe
@login_required
def own(request: HttpRequest) -> HttpResponse:
    """Show the security log of the viewer's account, newest first.

    It says which events came from the network that the viewer uses now.
    """
    page = security_log.of_person(member(request), addresses.before(request.GET))
    events = [(event, event.network == network_hash(request, event.at)) for event in page.events]
    context = {"page": page, "events": events, "days": KEPT.days, "nav": "preferences"}
    return render(request, "security_log.html", context)
