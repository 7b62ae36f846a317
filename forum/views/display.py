"""The choice of a look, for the browser that a guest or member uses."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from forum.web import display, error_responses
from forum.web.forms.display import DisplayForm
from forum.web.guest_pages import changes_no_page
from forum.web.methods import require_form
from forum.web.redirects import origin_or_footer, redirect_303, referring_page
from forum.web.same_site import form_without_token


@form_without_token
@require_form
def choose(request: HttpRequest) -> HttpResponse:
    """Show the choices (GET), or store them in a cookie and go back (POST).

    A choice that isn't sent stays as it is.
    """
    current = display.display_of(request)._asdict()
    if request.method != "POST":
        context = {
            "form": DisplayForm(initial=current),
            "back": referring_page(request, request.path),
            "nav": "display",
        }
        return render(request, "display.html", context)
    sent = {name: value for name, value in request.POST.items() if name in current}
    form = DisplayForm(current | sent)
    if not form.is_valid():
        return error_responses.bad_request(request, _("That choice isn't available."))
    if "next" in request.POST:
        messages.success(request, _("Your choices were saved."))
    response = redirect_303(origin_or_footer(request, request.path))
    display.store(response, display.Display(**form.cleaned_data))
    return changes_no_page(response)
