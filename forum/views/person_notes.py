"""The pages on which members write and list notes about other people. Nobody else sees them."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from forum.actions import person_notes
from forum.identity.viewers import member
from forum.models import User
from forum.web import profile_pages
from forum.web.forms.person_notes import PersonNoteForm
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.redirects import redirect_303


@require_form
@login_required
def edit(request: HttpRequest, username: str) -> HttpResponse:
    """Show the form for the viewer's note about a person (GET), and save the note (POST)."""
    person = profile_pages.find(username)
    written = member(request).person_notes.filter(person=person).first()
    initial = {"label": written.label, "note": written.note} if written else {}
    form = PersonNoteForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _save(request, person, form):
        messages.success(request, _("Your note was saved. Only you see it."))
        return redirect_303(person.get_absolute_url())
    context = {"form": form, "person": person}
    return render(request, "person_note.html", context, status=422 if form.is_bound else 200)


def _save(request: HttpRequest, person: User, form: PersonNoteForm) -> bool:
    """Save the note in the form and return True. If that fails, add an error and return False."""
    try:
        person_notes.write(member(request), person, **form.cleaned_data)
    except ValidationError as error:
        form.add_error("label", error)
        return False
    return True


@require_safe
@login_required
def notes(request: HttpRequest) -> HttpResponse:
    """List the viewer's notes about people, by name."""
    written = member(request).person_notes.select_related("person").order_by("person__username")
    return render(request, "person_notes.html", {"notes": written, "nav": "preferences"})
