"""The error pages that Django shows: for errors that it detects, and for bugs."""

import sys

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_CSRF_TOKEN_MISSING
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.config import request_ids
from forum.identity.viewers import viewer
from forum.queries.groups import close_names, directory
from forum.web import drafts, error_responses, refused_permissions
from forum.web.familiar_addresses import familiar_url, suggestions_for
from forum.web.methods import READING
from forum.web.not_found import NoSuchGroup, NoSuchPage, NoSuchPerson
from forum.web.problems import post_of_address
from forum.web.programs import is_for_programs
from forum.web.redirects import redirect_303, redirect_to_canonical

TOPICS_SHOWN = 50
"""Maximum number of groups to list on the page for an unknown group."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the error page with status 400."""
    return error_responses.bad_request(request, _("The request could not be understood."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the error page with status 403."""
    refused_permissions.note(request)
    return error_responses.refuse(
        request, 403, str(exception) or _("You don't have permission to do that.")
    )


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Respond to a form with a missing or expired CSRF token.

    Members are redirected to the form, filled in with their text. If they sent a log-in or sign-up
    form although they are logged in, its page is loaded again. Everybody else gets a page with
    status 403. It shows the text for copying, unless the form came from another site.
    """
    old = _is_of_ours(request, reason)
    if old and viewer(request):
        if request.path in {reverse("account_login"), reverse("account_signup")}:
            return redirect_303(request.get_full_path())
        form = drafts.store_members_form(request)
        if form:
            messages.warning(request, _("The form had expired. Please submit it again."))
            return redirect_303(form)
    sentence = _(
        "This page has expired or cookies are disabled. Nothing was changed. Reload the page and"
        " try again."
    )
    written = error_responses.written(request) if old else ""
    post_id = post_of_address(request)
    heading = _("Page expired")
    return error_responses.refuse(
        request, 403, sentence, heading=heading, written=written, post_id=post_id
    )


def _is_of_ours(request: HttpRequest, reason: str) -> bool:
    """Return whether a form with a wrong CSRF token came from a page of this site."""
    if reason == REASON_CSRF_TOKEN_MISSING or not reason.startswith("CSRF"):
        return False
    return "csrfmiddlewaretoken" in request.POST


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the error page with status 404. It links to pages that the person may have wanted.

    If a page exists at the URL without the last slash, or if other sites have a page at this
    address, redirect to that page.
    """
    if is_for_programs(request):
        return error_responses.refuse(request, 404, _("There is nothing at this address."))
    if _is_there_without_slash(request):
        short = escape_uri_path(request.path.rstrip("/"))
        return redirect_to_canonical(request, short, permanent=True)
    if request.method in READING and (expected := familiar_url(request.path_info)):
        return redirect(expected)
    if isinstance(exception, NoSuchPage):
        return _no_such_page(request, exception)
    if isinstance(exception, NoSuchGroup):
        return _no_such_group(request, exception.names, exception.reason)
    if isinstance(exception, NoSuchPerson):
        sentence = _("No user with that name.")
    else:
        sentence = _("There is no page at this address.")
    suggestions = suggestions_for(request.path_info)
    return error_responses.refuse(request, 404, sentence, suggestions=suggestions)


def _no_such_page(request: HttpRequest, exception: NoSuchPage) -> HttpResponse:
    pages = exception.pages
    sentence = ngettext(
        "This list has %(number)s page.", "This list has %(number)s pages.", pages
    ) % {"number": intcomma(pages)}
    return error_responses.refuse(request, 404, sentence, last_url=exception.last_url)


def _is_there_without_slash(request: HttpRequest) -> bool:
    """Return whether a page outside the admin exists at the URL without the last slash."""
    if request.method not in READING or not request.path_info.endswith("/"):
        return False
    try:
        return resolve(request.path_info.rstrip("/")).app_name != "admin"
    except Resolver404:
        return False


def _no_such_group(request: HttpRequest, names: tuple[str, ...], sentence: str) -> HttpResponse:
    topics = directory.topics()
    if names:
        sentence = ngettext(
            "There is no group called %(names)s.",
            "There are no groups called %(names)s.",
            len(names),
        ) % {"names": _(", ").join(names)}
    close = close_names(names, topics)
    return error_responses.refuse(
        request, 404, sentence, close=close, topics=list(topics.values())[:TOPICS_SHOWN]
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the error page with status 500 for a bug.

    Django also calls this for errors that aren't bugs, if they happen outside of a view: for
    example, if SQL is unavailable. They get the same response as inside a view.
    """
    error = sys.exc_info()[1]
    response = error_responses.respond(request, error) if isinstance(error, Exception) else None
    if response is not None:
        return response
    sentence = _("The error has been logged.")
    return error_responses.refuse(
        request, 500, sentence, bare=True, request_id=request_ids.current()
    )
