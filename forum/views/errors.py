"""The pages for what Django itself refuses, and for our own mistakes."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from forum.observing import ids
from forum.pages import refusals
from forum.pages.missing import NoSuchGroup, NoSuchPage
from forum.queries.groups import close_names, directory


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what could not be understood."""
    return refusals.bad_request(request, _("That could not be understood."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what this person may not do."""
    return refusals.refuse(request, 403, str(exception) or _("This is not yours to do."))


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose token is missing or old."""
    sentence = _(
        "This form has grown old, or cookies are switched off. "
        "Go back, load the page again and send it once more: what you wrote is still there."
    )
    return refusals.refuse(request, 403, sentence)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that leads nowhere, with what might have been meant."""
    if isinstance(exception, NoSuchPage):
        sentence = _("This listing ends sooner.")
        return refusals.refuse(
            request, 404, sentence, pages=exception.pages, last_url=exception.last_url
        )
    if isinstance(exception, NoSuchGroup):
        return _no_such_group(request, exception.wanted)
    return refusals.refuse(request, 404, _("There is nothing at this address."))


def _no_such_group(request: HttpRequest, wanted: tuple[str, ...]) -> HttpResponse:
    topics = directory.topics()
    sentence = _("Groups combine with one kind of sign at a time, and at most four of them.")
    if wanted:
        sentence = _("There is no group called %(names)s.") % {"names": ", ".join(wanted)}
    close = close_names(wanted, topics)
    return refusals.refuse(request, 404, sentence, close=close, topics=topics.values())


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a mistake of ours; where SQL failed outside the views, say that instead."""
    error = sys.exc_info()[1]
    if isinstance(error, (OperationalError, InterfaceError)):
        return refusals.archive_rests(request, error)
    sentence = _("Something went wrong on our side. It has been written down.")
    return refusals.refuse(request, 500, sentence, bare=True, request_id=ids.current())
