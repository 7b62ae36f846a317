"""The page of a person's sessions: where they are logged in, with buttons that end sessions."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.identity import sessions as service
from forum.identity.viewers import member
from forum.web.login_required import login_required
from forum.web.methods import require_POST, require_safe
from forum.web.redirects import redirect_303


@require_safe
@login_required
def sessions(request: HttpRequest) -> HttpResponse:
    """Show the viewer's sessions."""
    own = {
        "sessions": service.open_sessions(member(request)),
        "current": request.session.session_key,
    }
    return render(request, "sessions.html", own)


@require_POST
@login_required
def end(request: HttpRequest) -> HttpResponse:
    """End one of the viewer's sessions, or all but this one if the form names none."""
    chosen = request.POST.get("session")
    if not chosen:
        service.end_others(request)
        messages.success(request, _("You are logged out on all other devices."))
    elif service.end(member(request), chosen):
        messages.success(request, _("The session was ended."))
    else:
        messages.info(request, _("This session had already ended."))
    return redirect_303(reverse("sessions"))
