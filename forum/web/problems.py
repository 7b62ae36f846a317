"""Translates errors to an HTTP status and a sentence, for pages, fragments and forms.

Errors come from services (`forum.errors`), from voting (`voting.errors`) and from SQL. Each is
translated to a `Problem`. `error_responses.respond` makes a page or fragment from a problem; a view
can also show the problem above its form.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import structlog
from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from forum.actions import own_deletions
from forum.actions.names import full_name
from forum.actions.sentences import why_text_is_withheld
from forum.config.encryption import Unreadable
from forum.config.postgresql.errors import PoolExhausted
from forum.errors import (
    AlreadyDecided,
    AlreadySent,
    Banned,
    Duplicate,
    EditConflict,
    Forbidden,
    Gone,
    Invalid,
    Locked,
    MailboxUsed,
    MailDomainFull,
    NeedsSecondFactor,
    NotAccepted,
    OtherGroup,
    ReadOnly,
    RefusedByRule,
    SearchTooSlow,
    VotingUnavailable,
)
from forum.identity.throttle import Subject, throttle
from forum.identity.viewers import subject, viewer
from forum.models import Comment, Post
from forum.models.managers import KEEP_TITLE
from forum.queries import refusals
from forum.text.sentences import join_sentences
from forum.web import refused_permissions
from forum.web.methods import READING
from forum.web.problem_sentences import MINUTE, throttled_sentence, try_again_in, why_not_cast
from voting.errors import StoreUnavailable, Throttled, UnknownTarget, VotingClosed
from voting.types import Vote

RETRY_AFTER = 5
"""Seconds to wait before trying again while Redis or SQL is unavailable."""
NOT_SAVED = (
    *(AlreadySent, Banned, Locked, NotAccepted, OtherGroup, RefusedByRule, Throttled),
    *(StoreUnavailable, OperationalError),
)
"""Errors after which a person may send the same form again. The form shows the problem."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Problem:
    """The content of an error response: status, sentence, and when to try again."""

    status: int
    sentence: str
    retry_after_seconds: int = 0
    """Seconds to wait before trying again; 0 if trying again doesn't help."""
    address: str = ""
    """The URL of a link after the sentence, such as a link to text that was sent before."""
    link: str = ""
    """The text of the link; "" for "View"."""
    post_id: int | None = None
    """Id of the post that the error page links to."""

    def mark(self, response: HttpResponse) -> HttpResponse:
        """Set the status and the Retry-After header of a response."""
        response.status_code = self.status
        if self.retry_after_seconds:
            response["Retry-After"] = str(self.retry_after_seconds)
        return response


def problem_of(request: HttpRequest, error: Exception) -> Problem | None:
    """Return the problem to show to a person for an error; None for a bug."""
    for kind, translate in TRANSLATIONS.items():
        if isinstance(error, kind):
            return translate(request, error)
    return None


def problem_above_form(
    request: HttpRequest, error: Exception, page: Callable[..., HttpResponse], address: str = ""
) -> HttpResponse:
    """Return a page with the filled-in form and, above the form, the reason why it was not saved.

    Use this for errors in `NOT_SAVED`. `address` is the URL of a link after the reason.
    """
    problem = problem_of(request, error)
    if problem is None:
        raise error
    problem = replace(problem, address=address or problem.address)
    return problem.mark(page(problem=problem))


def throttling_problem(request: HttpRequest, subject: Subject, action: str) -> Problem | None:
    """Count an action towards its rate limit. Return None if the action is allowed.

    Otherwise return the problem: the limit is reached, or Redis is needed but unavailable.
    """
    try:
        throttle(subject, action)
    except (Throttled, StoreUnavailable) as error:
        return problem_of(request, error)
    return None


def _viewer_id(request: HttpRequest) -> int | None:
    person = viewer(request)
    return person.id if person else None


def _forbidden(request: HttpRequest, error: Forbidden) -> Problem:
    refused_permissions.note(request)
    return Problem(403, str(error) or _("You don't have permission to do that."))


def _banned(_request: HttpRequest, error: Banned) -> Problem:
    ban = error.ban
    place = ban.group.title if ban.group else settings.SITE_NAME
    query = f"?group={ban.group.slug}" if ban.group else ""
    conversation = f"{reverse('conversation_write')}{query}"
    if ban.until is None:
        sentence = _("You are banned from %(place)s.") % {"place": place}
    else:
        until = date_format(ban.until, "DATETIME_FORMAT")
        sentence = _("You are banned from %(place)s until %(until)s UTC.")
        sentence %= {"place": place, "until": until}
    reason = _("Reason: %(reason)s") % {"reason": ban.action.reason}
    link = _("Write to the moderators")
    return Problem(403, join_sentences(sentence, reason), address=conversation, link=link)


def _not_accepted(request: HttpRequest, _error: NotAccepted) -> Problem:
    if refusals.is_declined(_viewer_id(request)):
        return Problem(403, _("Your application to join was declined, so you can only read."))
    sentence = _(
        "Moderators haven't decided about your application to join yet. Until then you can only"
        " read."
    )
    return Problem(403, sentence)


def _needs_second_factor(request: HttpRequest, _error: NeedsSecondFactor) -> Problem:
    refused_permissions.note(request)
    sentence = _("Moderating needs two-factor authentication.")
    return Problem(
        403, sentence, address=reverse("mfa_index"), link=_("Turn on two-factor authentication")
    )


def _already_decided(_request: HttpRequest, error: AlreadyDecided) -> Problem:
    action = error.action
    if action is None:
        return Problem(409, _("Another moderator has already decided this. Nothing was changed."))
    names = {"name": full_name(action), "action": action.Kind(action.kind).label}
    sentence = _("%(name)s has already decided this: %(action)s. Nothing was changed.") % names
    return Problem(409, sentence)


def _invalid(_request: HttpRequest, error: Invalid) -> Problem:
    return Problem(400, str(error))


def _refused_by_rule(_request: HttpRequest, error: RefusedByRule) -> Problem:
    return Problem(422, str(error))


def _gone(request: HttpRequest, error: Gone) -> Problem:
    reason = why_text_is_withheld(error.deleted)
    if reason:
        post_id = error.deleted.post_id if isinstance(error.deleted, Comment) else None
        log = _log_entry(error.deleted)
        link = _("View in the moderation log") if log else ""
        return Problem(410, reason, address=log, link=link, post_id=post_id)
    if isinstance(error.deleted, Comment):
        sentence = _("This comment was deleted.")
        return _restorable(request, Problem(410, sentence, post_id=error.deleted.post_id), error)
    if error.deleted.merged_into_id:
        merged = _("Moderators merged this post into another.")
        return Problem(410, merged, post_id=error.deleted.merged_into_id)
    return _restorable(request, Problem(410, _("This post was deleted.")), error)


def _restorable(request: HttpRequest, problem: Problem, error: Gone) -> Problem:
    """Add a link to read what the viewer deleted, or to restore it if that was just now."""
    deleted, person_id = error.deleted, _viewer_id(request)
    if not own_deletions.may_read(person_id, deleted):
        return problem
    if isinstance(deleted, Comment):
        address = reverse("comment_restore", args=[deleted.post_id, deleted.pk])
    else:
        address = reverse("post_restore", args=[deleted.pk])
    recent = own_deletions.may_restore(person_id, deleted)
    link = _("Restore") if recent else _("Read what you deleted")
    return replace(problem, address=address, link=link)


def _log_entry(deleted: Post | Comment) -> str:
    """Return the URL of the log entry of a removal, or "" if the entry doesn't name the text."""
    action = deleted.withheld_by
    if deleted.withheld not in KEEP_TITLE or action is None or action.is_private:
        return ""
    return action.get_absolute_url()


def _edit_conflict(_request: HttpRequest, _error: EditConflict) -> Problem:
    return Problem(
        409, _("The text was changed while you were editing it, so your changes were not saved.")
    )


def _search_too_slow(_request: HttpRequest, _error: SearchTooSlow) -> Problem:
    return Problem(
        422, _("This search takes too long. Please add a longer word, a group or an author.")
    )


def _duplicate(_request: HttpRequest, error: Duplicate) -> Problem:
    return Problem(409, _("Someone has already posted this link."), post_id=error.post.pk)


def _already_sent(_request: HttpRequest, error: AlreadySent) -> Problem:
    same = _("You just sent the same text.")
    published = _("Your text was already published. You don't need to send it again.")
    if error.saved.withheld:
        published = _("Your text was saved. It waits for a moderator's approval.")
    address = error.saved.get_absolute_url()
    return Problem(429, join_sentences(same, published), error.retry_after_seconds, address)


def _throttled(request: HttpRequest, error: Throttled) -> Problem:
    sentence, post_id = throttled_sentence(error, subject(request)), post_of_address(request)
    return Problem(429, sentence, error.retry_after_seconds, post_id=post_id)


def _mail_domain_full(_request: HttpRequest, error: MailDomainFull) -> Problem:
    sentence = _("Too many people signed up today with an email address at %(domain)s.")
    wait = error.retry_after_seconds
    return Problem(
        429, join_sentences(sentence % {"domain": error.domain}, try_again_in(wait)), wait
    )


def _mailbox_used(_request: HttpRequest, error: MailboxUsed) -> Problem:
    sentence = _(
        "Another account with this mailbox was confirmed today. Addresses that differ only after"
        " “+” count as one."
    )
    wait = error.retry_after_seconds
    return Problem(429, join_sentences(sentence, try_again_in(wait)), wait)


def _voting_closed(request: HttpRequest, error: VotingClosed) -> Problem:
    own_vote = {
        Vote.UP: _("You voted up."),
        Vote.DOWN: _("You voted down."),
        Vote.NONE: _("You did not vote."),
    }[refusals.final_vote(_viewer_id(request), error.ballot)]
    return Problem(
        409, join_sentences(why_not_cast(error), own_vote), post_id=error.ballot.target.post_id
    )


def _unknown_target(_request: HttpRequest, error: UnknownTarget) -> Problem:
    return Problem(410 if refusals.is_deleted(error.target) else 404, why_not_cast(error))


def _voting_unavailable(_request: HttpRequest, error: VotingUnavailable) -> Problem:
    log.warning("vote not counted", reason=str(error.__cause__))
    return Problem(503, why_not_cast(error), RETRY_AFTER)


def _read_only(_request: HttpRequest, _error: ReadOnly) -> Problem:
    sentence = _(
        "The site is read-only for maintenance, so nothing was saved. Please try again later."
    )
    return Problem(503, sentence, MINUTE)


def _unreadable(_request: HttpRequest, _error: Unreadable) -> Problem:
    sentence = _(
        "The site's secret key has changed, so your second factor can't be checked. Please tell an"
        " admin."
    )
    return Problem(503, sentence)


def _redis_unavailable(_request: HttpRequest, error: StoreUnavailable) -> Problem:
    log.warning("Redis is unavailable", reason=str(error))
    sentence = _(
        "Part of the site is temporarily unavailable, so nothing was saved."
        " Please try again in a moment."
    )
    return Problem(503, sentence, RETRY_AFTER)


def _database_unavailable(request: HttpRequest, error: Exception) -> Problem:
    return Problem(503, _database_sentence(request, error), RETRY_AFTER)


TRANSLATIONS: dict[type[Exception], Callable[[HttpRequest, Any], Problem]] = {
    Banned: _banned,
    NotAccepted: _not_accepted,
    NeedsSecondFactor: _needs_second_factor,
    AlreadyDecided: _already_decided,
    Forbidden: _forbidden,
    RefusedByRule: _refused_by_rule,
    Invalid: _invalid,
    Gone: _gone,
    EditConflict: _edit_conflict,
    SearchTooSlow: _search_too_slow,
    Duplicate: _duplicate,
    AlreadySent: _already_sent,
    Throttled: _throttled,
    MailDomainFull: _mail_domain_full,
    MailboxUsed: _mailbox_used,
    VotingClosed: _voting_closed,
    UnknownTarget: _unknown_target,
    VotingUnavailable: _voting_unavailable,
    ReadOnly: _read_only,
    Unreadable: _unreadable,
    StoreUnavailable: _redis_unavailable,
    OperationalError: _database_unavailable,
}
"""For each error that is not a bug, a function that returns the error's `Problem`."""


def _database_sentence(request: HttpRequest, error: Exception) -> str:
    if isinstance(error, PoolExhausted):
        return _(
            "The database has no free connection, so nothing was saved. The site may be very busy:"
            " please try again in a moment."
        )
    if request.method in READING:
        return _(
            "The database isn't responding, so this page can't be shown. The front page and other"
            " lists still work. Please try again in a moment."
        )
    return _("The database isn't responding, so nothing was saved. Please try again in a moment.")


def post_of_address(request: HttpRequest) -> int | None:
    """Return the id of the post that the current URL is about; None for other URLs."""
    match = request.resolver_match
    return match.kwargs.get("post_id") if match else None
