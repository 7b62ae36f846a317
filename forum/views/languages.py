"""Choosing the site's language. Without a choice, the browser's language is used."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from forum.identity import languages
from forum.identity.viewers import member, viewer
from forum.web import error_responses
from forum.web.guest_pages import changes_no_page
from forum.web.methods import require_form
from forum.web.redirects import origin_or_footer, redirect_303, referring_page
from forum.web.same_site import form_without_token


@form_without_token
@require_form
def language(request: HttpRequest) -> HttpResponse:
    """Show the list of languages (GET), or store the chosen language in a cookie (POST).

    An empty choice removes the cookie. A member's choice is also the language of
    the member's emails.
    """
    if request.method != "POST":
        return render(request, "language.html", _shown(request))
    code = request.POST.get("language", "")
    if code and code not in dict(settings.LANGUAGES):
        return error_responses.bad_request(request, _("That language isn't available."))
    if viewer(request):
        languages.choose(member(request), code)
    answer = redirect_303(origin_or_footer(request, "/"))
    if code:
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            code,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
    else:
        answer.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
    return changes_no_page(answer)


def _shown(request: HttpRequest) -> dict[str, object]:
    """Return the template context: the languages, each with its name in that language."""
    return {
        "languages": [get_language_info(code) for code, _name in settings.LANGUAGES],
        "chosen": request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""),
        "back": referring_page(request, "/"),
        "nav": "language",
    }
