"""Responses to failed requests: pages with a status and a sentence that says what to do.

If JavaScript requests a fragment, the response is only the sentence, to show next to the button.
"""

import json
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import select_template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.web import display
from forum.web.problems import RETRY_AFTER, post_of_address, problem_of
from forum.web.programs import is_for_programs

FRAGMENT = "X-Fragment"
"""Request header with which JavaScript asks for a fragment instead of a page."""
LINK = "X-Link"
"""Response header with the link to show after a fragment: its URL, a space and its text, which is
percent-encoded.
"""
TEXTS = ("title", "url", "body", "about", "description", "text")
"""Names of the form fields whose text the error page shows again."""
HEADINGS = {
    400: gettext_lazy("Bad request"),
    403: gettext_lazy("Permission denied"),
    404: gettext_lazy("Page not found"),
    405: gettext_lazy("Method not allowed"),
    408: gettext_lazy("Upload incomplete"),
    409: gettext_lazy("Not possible"),
    410: gettext_lazy("Not available"),
    413: gettext_lazy("Too large"),
    429: gettext_lazy("Too many requests"),
    500: gettext_lazy("Something went wrong"),
    503: gettext_lazy("Temporarily unavailable"),
}
TITLES = HEADINGS | {
    401: gettext_lazy("Token needed"),
    404: gettext_lazy("Not found"),
    412: gettext_lazy("Condition not met"),
    415: gettext_lazy("Not JSON"),
    422: gettext_lazy("Wrong value"),
}
"""The titles of errors for programs."""


def respond(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """Return the page or fragment for an error that a view raised; None if the error is a bug.

    The page shows what the person typed into the form, so that no text is lost.
    """
    problem = problem_of(request, error)
    if problem is None:
        return None
    response = refuse(
        request,
        problem.status,
        problem.sentence,
        bare=problem.status == 503,
        written=written(request),
        post_id=problem.post_id,
        problem=problem,
    )
    if problem.link and FRAGMENT in request.headers:
        response[LINK] = f"{problem.address} {quote(problem.link)}"
    return problem.mark(response)


def refuse(
    request: HttpRequest, status: int, sentence: str, *, bare: bool = False, **context: Any
) -> HttpResponse:
    """Return an error page with a sentence, or only the sentence if a fragment is requested.

    The template is `<status>.html`, if there is one. If `bare` is true, the page is made without
    looking up the viewer, because that could raise the same error again. So it is if the error was
    raised before there was a session, as for a wrong host. Browsers don't store the response,
    because the error may not last: a removed post, for example, may be restored.
    """
    headers = {"Cache-Control": "no-store"}
    if is_for_programs(request):
        response = for_programs(status, sentence)
        response["Cache-Control"] = "no-store"
        return response
    if FRAGMENT in request.headers:
        text = "text/plain; charset=utf-8"
        return HttpResponse(sentence, status=status, content_type=text, headers=headers)
    context = {"heading": str(HEADINGS[status])} | context
    context |= {"status": status, "sentence": sentence}
    context |= {"site_name": settings.SITE_NAME, "display": display.marks_of(request)}
    page = select_template([f"{status}.html", "error.html"])
    html = page.render(context, None if bare or not hasattr(request, "session") else request)
    return HttpResponse(html, status=status, headers=headers)


def for_programs(status: int, sentence: str, **more: object) -> HttpResponse:
    """Return an error as JSON (RFC 9457). `more` contains further members of the object."""
    body = {"title": str(TITLES.get(status, TITLES[400])), "status": status, "detail": sentence}
    text = json.dumps(body | more, ensure_ascii=False).encode(errors="replace")
    kind = "application/problem+json"
    return HttpResponse(text, status=status, content_type=kind)


def bad_request(request: HttpRequest, sentence: str) -> HttpResponse:
    """Return 400: the request is invalid."""
    return refuse(request, 400, sentence)


def written(request: HttpRequest) -> str:
    """Return the text that a person wrote in a form that was not saved."""
    sent = (request.POST.get(name, "") for name in TEXTS)
    return "\n\n".join(filter(None, sent))


def wrong_method(request: HttpRequest, allowed: str) -> HttpResponse:
    """Return 405: the URL does not accept this method. The page links to the URL's post, if any."""
    if is_for_programs(request):
        allowed = allowed.replace("GET", "GET, HEAD") if "HEAD" not in allowed else allowed
        sentence = _("This address only answers these methods: %(methods)s.")
        sentence %= {"methods": allowed}
    elif "GET" not in allowed:
        sentence = _("This URL only receives submitted forms. You can't open it as a page.")
    elif "POST" in allowed:
        sentence = _(
            "This page doesn't support that kind of request. You can only open the page or"
            " submit its form."
        )
    else:
        sentence = _(
            "This page doesn't support that kind of request. You can open the page, but you can't"
            " send anything to it."
        )
    response = refuse(request, 405, sentence, post_id=post_of_address(request))
    response["Allow"] = allowed
    return response


def no_json(request: HttpRequest) -> HttpResponse:
    """Return 415: a program sent a form instead of JSON."""
    return refuse(request, 415, _("Send JSON, with the header Content-Type: application/json."))


def incomplete(request: HttpRequest) -> HttpResponse:
    """Return 408: the connection was lost before the whole form had arrived."""
    sentence = _("What you sent arrived incomplete, so nothing was saved. Please send it again.")
    return refuse(request, 408, sentence)


def too_large(request: HttpRequest) -> HttpResponse:
    """Return 413: the request is larger than any form of the site, so it was not read."""
    return refuse(
        request, 413, _("What you sent is too long, so nothing was saved. Please shorten it.")
    )


def unavailable(request: HttpRequest, sentence: str, **context: Any) -> HttpResponse:
    """Return 503: Redis or SQL is unavailable. The response says when to try again."""
    response = refuse(request, 503, sentence, **context)
    response["Retry-After"] = str(RETRY_AFTER)
    return response
