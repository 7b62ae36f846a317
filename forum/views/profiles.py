"""A person's page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from forum.forms.people import AboutForm
from forum.pages import addresses, profile_pages, rows
from forum.pages.missing import NoSuchPage
from forum.queries.bonds import common
from forum.queries.people import posts_of
from forum.text import markup
from forum.visiting.viewers import viewer


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person: since when, about, totals, and a page of their posts."""
    person = profile_pages.find(username)
    if person.username != username:
        return redirect(person)
    wanted = addresses.read(person.get_absolute_url(), "", request.GET)
    head, reader = profile_pages.head(request, person, "posts"), viewer(request)
    page, resting = posts_of(
        person, wanted.number, head["counts"].posts, viewer_id=reader.id if reader else None
    )
    if wanted.number > page.pages:
        raise NoSuchPage(page.pages, wanted.url(page.pages))
    items = rows.items(
        page.rows, request.get_full_path(), member=reader is not None, resting=resting
    )
    context = head | {
        "about": markup.render(person.about),
        "common": common(reader.id, person) if reader and reader.id != person.pk else [],
        "items": SafeString(items.decode()),
        "page": page,
        "resting": resting,
        "wanted": wanted,
    }
    return render(request, "profile.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def about(request: HttpRequest, username: str) -> HttpResponse:
    """Let people say something of themselves."""
    person = profile_pages.find(username)
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
