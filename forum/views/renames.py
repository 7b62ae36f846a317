"""The page on which people change their user name."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from forum.actions import renames
from forum.errors import Invalid
from forum.identity.network import network_hash
from forum.identity.viewers import member
from forum.web.forms.people import NameForm
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.reauthentication import reauthenticated_to_post
from forum.web.redirects import redirect_303


@require_form
@login_required
@reauthenticated_to_post
def rename(request: HttpRequest) -> HttpResponse:
    """Show the form for a new user name (GET), or change the name (POST).

    Before the name is changed, the person enters the password or uses a passkey again.
    """
    person, sent = member(request), request.method == "POST"
    form = NameForm(request.POST if sent else None, initial={"name": person.username})
    if form.is_valid():
        try:
            renames.rename(person, form.cleaned_data["name"], network=network_hash(request))
        except Invalid as error:
            form.add_error("name", str(error))
        else:
            sentence = _("Your user name is now %(name)s. You log in with it from now on.")
            messages.success(request, sentence % {"name": person.username})
            return redirect_303(person.get_absolute_url())
    context = {"form": form, "next_at": renames.next_rename(person), "nav": "preferences"}
    return render(request, "rename.html", context, status=422 if sent else 200)
