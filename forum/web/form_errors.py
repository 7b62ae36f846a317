"""Why a form was not accepted for now: what it says above the text that was typed."""

from dataclasses import dataclass, replace
from math import ceil

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from forum.throttling.errors import Throttled
from forum.throttling.throttle import Subject, forget_text, throttle
from voting.errors import StoreUnavailable

RETRY_AFTER = 5
"""Seconds after which a database that is unavailable may be back."""
MINUTE, HOUR = 60, 3_600
"""Seconds."""
REDIS_DOWN = gettext_lazy(
    "Part of the site is temporarily unavailable, so nothing was saved."
    " Please try again in a moment."
)
DATABASE_DOWN = gettext_lazy(
    "The database isn't responding, so nothing was saved. Please try again in a moment."
)


@dataclass(frozen=True, slots=True)
class FormError:
    """Why a form was not accepted: shown above what was typed."""

    status: int
    sentence: str
    retry_after_seconds: int
    repeated: bool = False
    """Whether the same text was sent before."""
    address: str = ""
    """Where that text is, if it was saved."""

    def already_saved_at(self, address: str) -> "FormError":
        """Return an error that links to the text that was saved the first time."""
        published = _("It is published: there is no need to send it again.")
        sentence = f"{_('You just sent the same text.')} {published}"
        return replace(self, sentence=sentence, address=address)

    def mark(self, response: HttpResponse) -> HttpResponse:
        """Give a response the status and the time to come back."""
        response.status_code = self.status
        response["Retry-After"] = str(self.retry_after_seconds)
        return response


def throttled_form(subject: Subject, action: str, text: str = "") -> FormError | None:
    """Count one `action`; return an error if it is refused (`throttle`). One round trip."""
    try:
        throttle(subject, action, text)
    except Throttled as error:
        sentence = throttled_sentence(error, subject)
        return FormError(429, sentence, error.retry_after_seconds, error.repeated)
    except StoreUnavailable:
        return FormError(503, str(REDIS_DOWN), RETRY_AFTER)
    return None


def unsaved_form(subject: Subject, action: str, text: str = "") -> FormError:
    """Return the error for a counted action that SQL could not save; `text` may be sent again.

    One round trip if there is a text.
    """
    if text:
        forget_text(subject, action, text)
    return FormError(503, str(DATABASE_DOWN), RETRY_AFTER)


def throttled_sentence(error: Throttled, subject: Subject) -> str:
    """Return how long somebody must wait, and that the limits of new accounts are lower."""
    wait = error.retry_after_seconds
    if error.repeated:
        reason = _("You just sent the same text.")
    elif wait <= MINUTE:
        reason = _("You're doing that too fast.")
    else:
        reason = _("You've reached the limit for now.")
    sentence = f"{reason} {_try_again_in(wait)}"
    if error.repeated or not subject.is_new:
        return sentence
    return f"{sentence} {_('New accounts have lower limits.')}"


def _try_again_in(seconds: int) -> str:
    """Return when to try again, rounded up to a unit that people use."""
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
