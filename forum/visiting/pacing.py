"""Spam windows on what people send: how often, and never the same text twice in a row.

People are counted by their account, guests (at log-in and sign-up, and where something they wrote
is kept until then) by their address. Nothing fails open: while Redis is away, writing is refused,
and what is counted by address, or only shown, is counted in this process's own memory. Votes are
counted in the step that casts them (`of`), so that a vote stays one round trip.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from time import time

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.store import voting
from forum.visiting import network
from forum.visiting.nearby import Nearby
from forum.visiting.viewers import Viewer, viewer
from voting.errors import StoreUnavailable, TooFast
from voting.types.limits import Pace

ADDRESS_ACTIONS = frozenset({"login", "signup", "draft"})
"""What is counted by address: nobody is logged in yet."""
WITHOUT_REDIS = ADDRESS_ACTIONS | {"preview"}
"""What is counted by this process while Redis is away."""
RETRY_AFTER = 5
"""Seconds after which what rests may be back."""
MINUTE, HOUR = 60, 3_600
"""Seconds."""

_nearby = Nearby()


@dataclass(frozen=True, slots=True)
class Held:
    """Why something was not done now: what a form says above what was typed."""

    status: int
    sentence: str
    seconds: int
    """When to try again."""
    identical: bool = False
    """Whether the same text came before."""
    address: str = ""
    """Where that text is, if it was saved."""

    def lead_to(self, address: str) -> "Held":
        """Say that nothing is missing: what was sent a second time is already there."""
        there = _("It is published: there is no need to send it again.")
        sentence = f"{_('You have just sent the same text.')} {there}"
        return replace(self, sentence=sentence, address=address)

    def mark(self, response: HttpResponse) -> HttpResponse:
        """Give a response the status and the time to come back."""
        response.status_code = self.status
        response["Retry-After"] = str(self.seconds)
        return response


def pace(request: HttpRequest, action: str, text: str = "") -> None:
    """Count one `action` (a name in LIMITS) of who asks. One round trip.

    Raises TooFast, and StoreUnavailable where Redis is away and nobody else counts.
    """
    allowed = of(request, action)
    try:
        voting().limits.check(allowed, text)
    except StoreUnavailable:
        if action not in WITHOUT_REDIS:
            raise
        _nearby.check(allowed)


def held(request: HttpRequest, action: str, text: str = "") -> Held | None:
    """Count one `action`; return why it must wait, or None where it may go on. One round trip."""
    try:
        pace(request, action, text)
    except TooFast as error:
        return Held(429, patience(request, error), error.seconds, error.identical)
    except StoreUnavailable:
        sentence = _("The site is resting for a moment and nothing was saved. Try again soon.")
        return Held(503, sentence, RETRY_AFTER)
    return None


def unsaved(request: HttpRequest, action: str, text: str = "") -> Held:
    """Return why something that was counted could not be saved. The text it was counted with may
    be sent again. One round trip where there is one.
    """
    if text:
        forget_text(request, action, text)
    sentence = _("The archive does not answer, so nothing was saved. Try again in a moment.")
    return Held(503, sentence, RETRY_AFTER)


def forget_text(request: HttpRequest, action: str, text: str) -> None:
    """Let a text that was counted and came to nothing be sent again. One round trip."""
    with suppress(StoreUnavailable):
        voting().limits.forget_text(of(request, action), text)


def of(request: HttpRequest, action: str) -> Pace:
    """Return how often who asks may do `action`. No round trip."""
    person = None if action in ADDRESS_ACTIONS else viewer(request)
    if person is None:
        return Pace(f"a{_address(request)}", action, settings.LIMITS[action])
    table = settings.LIMITS_NEW if _is_new(person) else settings.LIMITS
    return Pace(f"u{person.id}", action, table[action], settings.SAME_TEXT)


def _is_new(person: Viewer) -> bool:
    return time() - person.joined_at < settings.NEW_PERSON


def patience(request: HttpRequest, error: TooFast) -> str:
    """Return how long to wait, and to new people that this gets better."""
    person = viewer(request)
    sentence = too_fast(error)
    if error.identical or person is None or not _is_new(person):
        return sentence
    better_later = _("While an account is new, its limits are lower.")
    return f"{sentence} {better_later}"


def too_fast(error: TooFast) -> str:
    """Return the sentence that says how long to wait."""
    if error.identical:
        said = _("You have just sent the same text.")
    elif error.seconds <= MINUTE:
        said = _("That was very fast.")
    else:
        said = _("The limit is reached for now.")
    return f"{said} {_again(error.seconds)}"


def _again(seconds: int) -> str:
    """Return when to try again, in seconds, minutes or hours: never sooner than it is true."""
    if seconds < 2 * MINUTE:
        said = ngettext(
            "Try again in %(seconds)s second.", "Try again in %(seconds)s seconds.", seconds
        )
        return said % {"seconds": seconds}
    if seconds < 2 * HOUR:
        minutes = ceil(seconds / MINUTE)
        said = ngettext(
            "Try again in %(minutes)s minute.", "Try again in %(minutes)s minutes.", minutes
        )
        return said % {"minutes": minutes}
    hours = ceil(seconds / HOUR)
    said = ngettext("Try again in %(hours)s hour.", "Try again in %(hours)s hours.", hours)
    return said % {"hours": hours}


def _address(request: HttpRequest) -> str:
    """Return the place that asks. Those of whom nobody tells any share the limits of all such."""
    return network.place(str(get_adapter().get_client_ip(request)))
