"""A person's page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from forum import addresses, markup, rows
from forum.forms.people import AboutForm
from forum.missing import NoSuchPage
from forum.models import User
from forum.queries.people import find_person, posts_of, totals
from forum.viewers import viewer


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person: since when, about, totals, and a page of their posts."""
    person = _find(username)
    if person.username != username:
        return redirect(person)
    wanted = addresses.read(person.get_absolute_url(), "", request.GET)
    counted, reader = totals(person), viewer(request)
    page, resting = posts_of(
        person, wanted.number, counted.posts, viewer_id=reader.id if reader else None
    )
    if wanted.number > page.pages:
        raise NoSuchPage(page.pages, wanted.url(page.pages))
    items = rows.items(
        page.rows, request.get_full_path(), member=reader is not None, resting=resting
    )
    own = reader is not None and reader.id == person.pk
    context = {
        "person": person,
        "about": markup.render(person.about),
        "totals": counted,
        "own": own,
        "nav": "profile" if own else "",
        "items": items,
        "page": page,
        "resting": resting,
        "wanted": wanted,
    }
    return render(request, "profile.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def about(request: HttpRequest, username: str) -> HttpResponse:
    """Let people say something of themselves."""
    person = _find(username)
    if person != request.user:
        raise PermissionDenied(_("Only you can say something about yourself."))
    sent = request.method == "POST"
    form = AboutForm(request.POST if sent else None, initial={"about": person.about})
    if not form.is_valid():
        context = {"person": person, "form": form, "nav": "profile"}
        return render(request, "about_me.html", context, status=422 if sent else 200)
    person.about = form.cleaned_data["about"]
    person.save(update_fields=["about"])
    messages.success(request, _("Your profile is saved."))
    return HttpResponseRedirect(person.get_absolute_url(), status=303)


def _find(username: str) -> User:
    person = find_person(username)
    if person is None:
        raise Http404("no such person")
    return person
