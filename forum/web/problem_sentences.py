"""Sentences about votes that aren't counted, and about how long to wait."""

from datetime import UTC, datetime
from math import ceil

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from forum.errors import VotingUnavailable
from forum.identity.throttle import Subject
from forum.text.sentences import join_sentences
from voting.errors import Throttled, TooManyVotes, UnknownTarget, VotingClosed
from voting.types.limits import VoteRule

MINUTE, HOUR = 60, 3_600
"""Seconds in a minute and in an hour."""
TOO_MANY_VOTES = {
    VoteRule.ON_AUTHOR: gettext_lazy("You've voted often on this author in the last 24 hours."),
    VoteRule.DOWN: gettext_lazy("You've cast many down votes in the last 24 hours."),
    VoteRule.DOWN_ON_AUTHOR: gettext_lazy(
        "You've cast many down votes on this author in the last 24 hours."
    ),
}
"""The first sentences of refusals, by the limit that is reached."""


def why_not_cast(error: VotingClosed | UnknownTarget | VotingUnavailable) -> str:
    """Return the sentence that says why a vote was not counted."""
    if isinstance(error, VotingClosed):
        at = date_format(datetime.fromtimestamp(error.ballot.closes_at, UTC), "DATETIME_FORMAT")
        return _("Voting closed on %(at)s UTC.") % {"at": at}
    if isinstance(error, UnknownTarget):
        return _("The post or comment you voted on isn't available.")
    return _("Voting is temporarily unavailable. Your vote was not counted.")


def throttled_sentence(error: Throttled, subject: Subject) -> str:
    """Return sentences that say how long to wait and, for new accounts, that limits are lower."""
    wait = error.retry_after_seconds
    if isinstance(error, TooManyVotes):
        return join_sentences(str(TOO_MANY_VOTES[error.rule]), try_again_in(wait))
    if error.repeated:
        reason = _("You just sent the same text.")
    elif wait <= MINUTE:
        reason = _("You're doing that too fast.")
    else:
        reason = _("You've reached the limit for now.")
    sentence = join_sentences(reason, try_again_in(wait))
    if error.repeated or not subject.is_new:
        return sentence
    lower = _("New accounts have lower limits.")
    return join_sentences(sentence, lower)


def try_again_in(seconds: int) -> str:
    """Return a sentence that says when to try again. Minutes and hours are rounded up."""
    if seconds < 2 * MINUTE:
        sentence = ngettext(
            "Try again in %(seconds)s second.", "Try again in %(seconds)s seconds.", seconds
        )
        return sentence % {"seconds": seconds}
    if seconds < 2 * HOUR:
        minutes = ceil(seconds / MINUTE)
        sentence = ngettext(
            "Try again in %(minutes)s minute.", "Try again in %(minutes)s minutes.", minutes
        )
        return sentence % {"minutes": minutes}
    hours = ceil(seconds / HOUR)
    sentence = ngettext("Try again in %(hours)s hour.", "Try again in %(hours)s hours.", hours)
    return sentence % {"hours": hours}
