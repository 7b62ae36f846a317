"""Honest refusals: a status, a sentence that says what to do, and the page around it.

The script asks for fragments and gets the sentence alone, to show beside what was pressed.
"""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.template.loader import select_template
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.config.postgresql.errors import PoolExhausted
from forum.gateway.service import get_voting_service
from forum.gateway.voters import archived_thread_votes
from forum.identity.viewers import subject, viewer
from forum.models import Comment, Post
from forum.throttling.errors import Throttled
from forum.web.form_errors import DATABASE_DOWN, REDIS_DOWN, RETRY_AFTER, throttled_sentence
from voting.errors import StoreUnavailable, UnknownTarget, VotingClosed
from voting.types import Ballot, Target, Vote

log = structlog.get_logger()

FRAGMENT = "X-Fragment"
"""The header by which the script asks for a fragment."""
READING = frozenset({"GET", "HEAD"})
TEXTS = ("title", "url", "body", "about", "description", "text")
"""The fields of the site's and the admin's forms that hold what somebody wrote."""
HEADINGS = {
    400: gettext_lazy("That was not understood"),
    403: gettext_lazy("Not allowed"),
    404: gettext_lazy("Not here"),
    405: gettext_lazy("Not this way"),
    408: gettext_lazy("Not all of it came"),
    409: gettext_lazy("Voting is over"),
    410: gettext_lazy("Gone"),
    413: gettext_lazy("Too much at once"),
    429: gettext_lazy("Too fast"),
    500: gettext_lazy("Something broke"),
    503: gettext_lazy("Resting for a moment"),
}


def refuse(
    request: HttpRequest, status: int, sentence: str, *, bare: bool = False, **context: Any
) -> HttpResponse:
    """Answer with a status: the sentence on a page (`<status>.html` where that adds something).
    What was `written` stands below it, to be copied.

    `bare` leaves the reader out of the page, where asking who it is may fail again.
    """
    if FRAGMENT in request.headers:
        return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")
    heading = str(HEADINGS[status])
    context |= {"status": status, "heading": heading, "sentence": sentence}
    context["site_name"] = settings.SITE_NAME
    page = select_template([f"{status}.html", "refusal.html"])
    return HttpResponse(page.render(context, None if bare else request), status=status)


def bad_request(request: HttpRequest, sentence: str) -> HttpResponse:
    """Answer 400: what was sent can't be understood."""
    return refuse(request, 400, sentence)


def gone(request: HttpRequest, sentence: str, *, post_id: int | None = None) -> HttpResponse:
    """Answer 410: it was deleted. Who sends a title or text to it gets that back, to keep it. What
    was on a post that is still here leads to it.
    """
    return refuse(request, 410, sentence, written=written(request), post_id=post_id)


def written(request: HttpRequest) -> str:
    """Return what somebody wrote in a form that is not taken, for `refuse` to give it back."""
    sent = (request.POST.get(name, "") for name in TEXTS)
    return "\n\n".join(filter(None, sent))


def post_meant(request: HttpRequest) -> int | None:
    """Return the id of the post that an address is about, if it is about one."""
    match = request.resolver_match
    return match.kwargs.get("post_id") if match else None


def wrong_method(request: HttpRequest, allowed: str) -> HttpResponse:
    """Answer 405: the address exists, but not for this. What is about a post leads to it."""
    sentence = _("This address takes what a form sends; it is not a page to open.")
    if "GET" in allowed:
        sentence = _("This page can be read, but nothing can be sent to it.")
    if "GET" in allowed and "POST" in allowed:
        sentence = _("This page can be read and its form sent, but nothing else.")
    response = refuse(request, 405, sentence, post_id=post_meant(request))
    response["Allow"] = allowed
    return response


def unfinished(request: HttpRequest) -> HttpResponse:
    """Answer 408: a form did not come to its end, as where a connection is lost."""
    sentence = _("Only a part of what you sent has arrived, so nothing was saved. Send it again.")
    return refuse(request, 408, sentence)


def too_big(request: HttpRequest) -> HttpResponse:
    """Answer 413: more was sent than any form of the site may hold. None of it was looked at."""
    return refuse(request, 413, _("That is far too long, so nothing was saved. Send less of it."))


def closed(request: HttpRequest, error: VotingClosed) -> HttpResponse:
    """Answer 409: voting is over; say since when, and which vote stands."""
    stands = {
        Vote.UP: _("You voted up."),
        Vote.DOWN: _("You voted down."),
        Vote.NONE: _("You did not vote."),
    }[_standing_vote(request, error.ballot)]
    sentence = f"{why_not_cast(error)} {stands}"
    return refuse(request, 409, sentence, post_id=error.ballot.target.post_id)


def _standing_vote(request: HttpRequest, ballot: Ballot) -> Vote:
    """Return the vote that stands; one query where voting has forgotten who voted."""
    person, service = viewer(request), get_voting_service()
    if person is None or service.votes.has_voter_set(ballot.closes_at - service.rules.window):
        return ballot.vote
    post_id, comment_id = ballot.target.post_id, ballot.target.comment_id
    with suppress(DatabaseError):
        votes = archived_thread_votes(person.id, post_id, [comment_id])
        return votes.get(comment_id, Vote.NONE)
    return ballot.vote


def unknown_target(request: HttpRequest, error: UnknownTarget) -> HttpResponse:
    """Answer 410 where what was voted on was deleted, else 404: it is not there. A query or two."""
    return refuse(request, 410 if _was_deleted(error.target) else 404, why_not_cast(error))


def _was_deleted(target: Target) -> bool:
    """Say whether SQL knows that a post, or a comment of it, was deleted."""
    posts = Post.objects.deleted().filter(pk=target.post_id)
    comments = Comment.objects.deleted().filter(pk=target.comment_id)
    with suppress(DatabaseError):
        return posts.exists() or comments.filter(post_id=target.post_id).exists()
    return False


def throttled(request: HttpRequest, error: Throttled) -> HttpResponse:
    """Answer 429: say how long to wait, give back what was written, and link to the post that the
    address is about.
    """
    sentence, text = throttled_sentence(error, subject(request)), written(request)
    response = refuse(request, 429, sentence, written=text, post_id=post_meant(request))
    response["Retry-After"] = str(error.retry_after_seconds)
    return response


def voting_rests(request: HttpRequest, error: StoreUnavailable) -> HttpResponse:
    """Answer 503: voting does not answer, so nothing was counted."""
    log.warning("voting rests", reason=str(error))
    sentence = why_not_cast(error) if "vote" in request.POST else str(REDIS_DOWN)
    return _later(refuse(request, 503, sentence, bare=True))


def why_not_cast(error: VotingClosed | UnknownTarget | StoreUnavailable) -> str:
    """Return the sentence that tells why a vote is not counted."""
    if isinstance(error, VotingClosed):
        at = date_format(datetime.fromtimestamp(error.ballot.closes_at, UTC), "DATETIME_FORMAT")
        return _("Voting closed on %(at)s UTC.") % {"at": at}
    if isinstance(error, UnknownTarget):
        return _("What you voted on is not here: it was deleted, or never was.")
    return _("Voting is temporarily unavailable. Your vote was not counted.")


def archive_rests(request: HttpRequest, error: BaseException) -> HttpResponse:
    """Answer 503: SQL does not answer, or not to so many at once, so nothing was saved or read.
    What was written is given back.
    """
    sentence = str(DATABASE_DOWN)
    if request.method in READING:
        sentence = _(
            "The database isn't responding, so this page can't be shown. The front page and other"
            " lists still work. Please try again in a moment."
        )
    if isinstance(error, PoolExhausted):
        sentence = _(
            "The database has no free connection, so nothing was saved. The site may be very busy:"
            " please try again in a moment."
        )
    return _later(refuse(request, 503, sentence, bare=True, written=written(request)))


def read_only(request: HttpRequest) -> HttpResponse:
    """Answer 503: the site is being moved, so nothing was saved. Return what was written."""
    sentence = _(
        "The site is moving to another server and is read-only for a minute or two. Nothing was"
        " saved. Please try again then."
    )
    return _later(refuse(request, 503, sentence, written=written(request)))


def email_unsent(request: HttpRequest, sentence: str) -> HttpResponse:
    """Answer 503: an email could not be sent, and the request was for nothing else."""
    return _later(refuse(request, 503, sentence))


def _later(response: HttpResponse) -> HttpResponse:
    response["Retry-After"] = str(RETRY_AFTER)
    return response
