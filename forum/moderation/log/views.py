"""The public moderation log, and a page for each entry, where moderators can undo the action."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.errors import Invalid
from forum.identity.viewers import member, powers, viewer_id
from forum.models import ModAction
from forum.moderation.actions import bulk, undo
from forum.moderation.log import queries
from forum.moderation.log.entries import Reader
from forum.moderation.log.forms import LogForm
from forum.moderation.log.queries import LogPage
from forum.moderation.results import add_result
from forum.queries.groups import directory
from forum.web import addresses, queue_count
from forum.web.guest_pages import cached_for_guests
from forum.web.login_required import login_required
from forum.web.methods import require_POST, require_safe
from forum.web.redirects import origin, redirect_303


@require_safe
@cached_for_guests
def log(request: HttpRequest) -> HttpResponse:
    """Show a page of the log, newest first."""
    reader, data = _reader(request), request.GET.copy()
    data["group"] = directory.current(data.get("group", ""))
    form = LogForm(data, names_moderators=reader.sees_moderators)
    page = LogPage((), None)
    if form.is_valid():
        page = queries.page(form.wanted(), reader, addresses.before(request.GET))
    context = {"form": form, "page": page, "nav": "modlog"}
    context["feed"] = reverse("feed_modlog") + form.query
    return render(request, "moderation/log.html", context, status=200 if form.is_valid() else 422)


@require_safe
@cached_for_guests
def entry(request: HttpRequest, action_id: int) -> HttpResponse:
    """Show an entry of the log. For a bulk action, also list its single removals."""
    reader = _reader(request)
    found = queries.find(action_id, reader)
    if found is None:
        raise Http404("no such action")
    page = LogPage((), None)
    if found.progress:
        page = queries.parts_of(found.action, reader, addresses.before(request.GET))
    context = {"entry": found, "page": page, "nav": "modlog"}
    if found.action.kind == ModAction.Kind.VOID_VOTES:
        context["posts"] = queries.most_voided(found.action, reader)
    return render(request, "moderation/log_action.html", context)


@require_POST
@login_required
def undo_action(request: HttpRequest, action_id: int) -> HttpResponse:
    """Undo an action. For a bulk action, undo all of its removals.

    If something else must be undone first, show a message about that.
    """
    action = _action(action_id)
    try:
        undo.undo(action, by=member(request))
    except Invalid as error:
        messages.warning(request, str(error))
    else:
        queue_count.forget(member(request).pk)
        add_result(request, _("The action was undone."))
    return redirect_303(origin(request, action.get_absolute_url()))


@require_POST
@login_required
def stop(request: HttpRequest, action_id: int) -> HttpResponse:
    """Stop a running bulk action. If it has just ended, show a message about that."""
    action = _action(action_id)
    try:
        bulk.stop(action, by=member(request))
    except Invalid as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, _("The action was stopped. What it did so far was not undone."))
    return redirect_303(action.get_absolute_url())


def _action(action_id: int) -> ModAction:
    about = ModAction.objects.select_related("person", "post", "comment__post", "group")
    return get_object_or_404(about, pk=action_id)


def _reader(request: HttpRequest) -> Reader:
    """Return the viewer as a reader of the log."""
    return Reader(viewer_id(request), powers(request))
