"""Pages for invitations, pages that show who invited whom, and decisions on applications."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions.policy import policy
from forum.errors import Forbidden, Invalid
from forum.identity import permissions
from forum.identity.viewers import member
from forum.models import Application, Invitation, ModAction, User
from forum.moderation.actions import applications
from forum.moderation.joining import invitations as service
from forum.moderation.joining import queries
from forum.moderation.joining.forms import ApplicationForm
from forum.moderation.results import add_done
from forum.web import addresses, profile_pages
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST, require_safe
from forum.web.problems import problem_of
from forum.web.redirects import origin, redirect_303, redirect_to_canonical


@require_form
@login_required
def invitations(request: HttpRequest) -> HttpResponse:
    """Show the viewer's own invitations (GET), or create one (POST)."""
    person = member(request)
    if request.method == "POST":
        service.create(by=person)
        messages.success(request, _("Here is your invitation. One person can sign up with it."))
        return redirect_303(reverse("invitations"))
    context = {
        "page": queries.of_person(person, addresses.before(request.GET)),
        "refusal": _refusal(request, person),
    }
    return render(request, "moderation/joining_invitations.html", context)


def _refusal(request: HttpRequest, person: User) -> str:
    """Return why a person can't create an invitation now, or ""."""
    try:
        permissions.require_may_invite(person, policy.get())
    except Forbidden as error:
        problem = problem_of(request, error)
        return problem.sentence if problem else ""
    return ""


@require_POST
@login_required
def revoke(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Revoke an invitation that nobody has used yet."""
    found = get_object_or_404(Invitation, pk=invitation_id)
    service.revoke(found, by=member(request))
    messages.success(request, _("The invitation was revoked."))
    return redirect_303(origin(request, reverse("invitations")))


@require_safe
def tree(request: HttpRequest) -> HttpResponse:
    """Show the newest people who signed up with an invitation, and their inviters."""
    context = {"page": queries.newest(addresses.before(request.GET))}
    return render(request, "moderation/joining_tree.html", context)


@require_safe
def invited(request: HttpRequest, username: str) -> HttpResponse:
    """Show who invited a person, and whom they invited."""
    person = profile_pages.find(username)
    if person.username != username:
        return redirect_to_canonical(request, reverse("profile_invited", args=[person.username]))
    inviters, more = queries.inviters(person)
    context = {
        "person": person,
        "inviters": inviters,
        "more": more,
        "page": queries.invited_by(person, addresses.before(request.GET)),
    }
    return render(request, "moderation/joining_invited.html", context)


@require_POST
@login_required
def decide(request: HttpRequest, application_id: int) -> HttpResponse:
    """Admit or decline an applicant. If the reason is missing, a message asks for the reason."""
    found = get_object_or_404(Application.objects.select_related("user"), pk=application_id)
    form = ApplicationForm(request.POST)
    if not form.is_valid():
        raise Invalid(_('Invalid value for "decision": use admit or decline.'))
    kind = ModAction.Kind(form.cleaned_data["decision"])
    back = redirect_303(origin(request, reverse("queue")))
    try:
        action = applications.decide(
            found, kind, by=member(request), reason=form.cleaned_data["reason"]
        )
    except Invalid as error:
        messages.error(request, str(error))
        return back
    add_done(request, action)
    return back
