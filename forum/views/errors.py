"""The pages for what Django itself refuses, and for our own mistakes."""

import sys

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_CSRF_TOKEN_MISSING
from django.urls import Resolver404, resolve, reverse
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.identity.viewers import viewer
from forum.observability import request_ids
from forum.queries.groups import close_names, directory
from forum.web import drafts, error_responses
from forum.web.not_found import NoSuchGroup, NoSuchPage, NoSuchPerson
from forum.web.redirects import see, usual

TOPICS_SHOWN = 50
"""Groups that are named where somebody looked for one that is not there."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what could not be understood."""
    return error_responses.bad_request(request, _("That could not be understood."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what this person may not do."""
    return error_responses.refuse(request, 403, str(exception) or _("This is not yours to do."))


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose token is missing or old: nothing is done that it asks for.

    A member finds the form again with what they wrote, as after a log-in that had ended; who has
    logged in elsewhere meanwhile is led on by the log-in page. Where none of it can be, the text is
    on the page to copy; not if the form came from another site.
    """
    old = _is_of_ours(request, reason)
    if old and viewer(request):
        if request.path in {reverse("account_login"), reverse("account_signup")}:
            return see(request.get_full_path())
        form = drafts.lead_back(request)
        if form:
            messages.warning(request, _("This page had grown old: please send it once more."))
            return see(form)
    sentence = _(
        "This page has grown old, or cookies are switched off, so nothing was done. "
        "Load it again, and then try once more."
    )
    written = error_responses.written(request) if old else ""
    post_id = error_responses.post_meant(request)
    return error_responses.refuse(request, 403, sentence, written=written, post_id=post_id)


def _is_of_ours(request: HttpRequest, reason: str) -> bool:
    """Say whether a refused form brings a token and nothing but that is wrong with it."""
    if reason == REASON_CSRF_TOKEN_MISSING or not reason.startswith("CSRF"):
        return False
    return "csrfmiddlewaretoken" in request.POST


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that leads nowhere, with what might have been meant."""
    if _is_there_without_slash(request):
        short = escape_uri_path(request.path.rstrip("/"))
        return usual(request, short, permanent=True)
    if isinstance(exception, NoSuchPage):
        return _no_such_page(request, exception)
    if isinstance(exception, NoSuchGroup):
        return _no_such_group(request, exception.wanted, exception.reason)
    if isinstance(exception, NoSuchPerson):
        return error_responses.refuse(request, 404, _("Nobody here has that name."))
    return error_responses.refuse(request, 404, _("There is nothing at this address."))


def _no_such_page(request: HttpRequest, exception: NoSuchPage) -> HttpResponse:
    pages = exception.pages
    sentence = ngettext(
        "This list has %(number)s page.", "This list has %(number)s pages.", pages
    ) % {"number": intcomma(pages)}
    return error_responses.refuse(request, 404, sentence, last_url=exception.last_url)


def _is_there_without_slash(request: HttpRequest) -> bool:
    """Say whether a page is there but for a slash at the end; the admin sees to its own."""
    if request.method not in error_responses.READING or not request.path_info.endswith("/"):
        return False
    try:
        return resolve(request.path_info.rstrip("/")).app_name != "admin"
    except Resolver404:
        return False


def _no_such_group(request: HttpRequest, wanted: tuple[str, ...], sentence: str) -> HttpResponse:
    topics = directory.topics()
    if wanted:
        sentence = ngettext(
            "There is no group called %(names)s.",
            "There are no groups called %(names)s.",
            len(wanted),
        ) % {"names": _(", ").join(wanted)}
    close = close_names(wanted, topics)
    return error_responses.refuse(
        request, 404, sentence, close=close, topics=list(topics.values())[:TOPICS_SHOWN]
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a mistake of ours; where SQL failed outside the views, say that instead."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError):
        return error_responses.archive_rests(request, error)
    sentence = _("Something went wrong on our side. It has been written down.")
    return error_responses.refuse(
        request, 500, sentence, bare=True, request_id=request_ids.current()
    )
