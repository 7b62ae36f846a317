"""The page with a group's moderators, on which they are appointed and removed."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.errors import Invalid
from forum.identity import permissions
from forum.identity.viewers import member, powers, viewer
from forum.models import Group
from forum.moderation.actions import appointments
from forum.moderation.results import add_done
from forum.moderation.roles import services
from forum.moderation.roles.forms import AppointForm
from forum.queries import group_moderators
from forum.queries.groups import directory
from forum.web import profile_pages
from forum.web.addresses import is_number
from forum.web.forms.reasons import ReasonForm
from forum.web.login_required import login_required, to_log_in
from forum.web.methods import require_form
from forum.web.not_found import NoSuchGroup
from forum.web.redirects import redirect_303, redirect_to_canonical
from forum.web.switches import switch


@require_form
def moderators(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a group's moderators to everybody (GET), or appoint a moderator (POST)."""
    group = _group(slug)
    if group.slug != slug:
        return redirect_to_canonical(request, reverse("group_moderators", args=[group.slug]))
    if request.method != "POST":
        return _page(request, group, AppointForm())
    if viewer(request) is None:
        return to_log_in(request)
    permissions.require_appointing(member(request), group)
    form = AppointForm(request.POST)
    if form.is_valid():
        try:
            action = appointments.appoint(group, form.cleaned_data["name"], by=member(request))
        except Invalid as error:
            form.add_error("name", str(error))
        else:
            add_done(request, action)
            return redirect_303(reverse("group_moderators", args=[group.slug]))
    return _page(request, group, form, status=422)


def _page(
    request: HttpRequest, group: Group, form: AppointForm, *, status: int = 200
) -> HttpResponse:
    own, after = powers(request), request.GET.get("after", "0")
    if not is_number(after):
        raise Http404("no such page")
    may_appoint = permissions.may_appoint(own, group)
    context = {
        "group": group,
        "page": group_moderators.page(group.pk, int(after)),
        "form": form,
        "may_appoint": may_appoint,
        "superiors": appointments.superiors_of(member(request), group) if may_appoint else (),
        "may_change_setting": own.is_admin,
        "needs_second_factor": own.needs_second_factor,
    }
    return render(request, "moderation/roles_moderators.html", context, status=status)


@require_form
@login_required
def remove(request: HttpRequest, slug: str, username: str) -> HttpResponse:
    """Ask for the reason (GET), or remove a moderator from a group (POST).

    Moderators can remove themselves without a reason.
    """
    group, person = _group(slug), profile_pages.find(username)
    resigns = person.pk == member(request).pk
    appointments.require_dismissing(member(request), person, group)
    get_object_or_404(group.moderators, user=person)
    form = ReasonForm(request.POST if request.method == "POST" else None, required=not resigns)
    if not form.is_valid():
        context = {"group": group, "person": person, "form": form, "resigns": resigns}
        status = 422 if form.is_bound else 200
        return render(request, "moderation/roles_remove.html", context, status=status)
    reason = form.cleaned_data["reason"]
    action = appointments.discharge(group, person, by=member(request), reason=reason)
    if resigns:
        messages.success(request, _("You no longer moderate this group."))
    else:
        add_done(request, action)
    return redirect_303(reverse("group_moderators", args=[group.slug]))


@switch
@login_required
def let_appoint(request: HttpRequest, slug: str, *, on: bool) -> HttpResponse:
    """Set whether a group's moderators may choose other moderators of the group."""
    group = _group(slug)
    services.let_appoint(group, on, by=member(request))
    messages.success(request, _("Your setting was saved."))
    return redirect_303(reverse("group_moderators", args=[group.slug]))


def _group(slug: str) -> Group:
    """Return the group with this current or former short name.

    Raises NoSuchGroup if there is no such group.
    """
    topic = directory.find(directory.current(slug))
    if topic is None:
        raise NoSuchGroup(slug)
    return Group.objects.get(pk=topic.id)
