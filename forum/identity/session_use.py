"""Notes in a member's session when, where and with which device it is used.

Sessions end if nobody uses them: members' after 30 days, those of people with a role (staff,
moderators of groups and auditors) after 12 hours, and these also 7 days after the log-in. The last
use is written at most once an hour, so that most requests write nothing; a session may therefore
end up to an hour early.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.identity.devices import device_of
from forum.identity.network import coarse_network

KEY = "use"
"""The name of these notes in the session."""
STEP = timedelta(hours=1)
"""How long the last use isn't written again."""
IDLE = timedelta(days=30)
ROLE_IDLE = timedelta(hours=12)
ROLE_LONGEST = timedelta(days=7)


@dataclass(frozen=True)
class SessionUse:
    """When a session began and was last used, and from which device and network."""

    began_at: datetime
    used_at: datetime
    browser: str
    system: str
    network: str

    def is_over(self, *, has_role: bool) -> bool:
        """Return whether the session has ended because of its age or because nobody used it."""
        return bool(self.refusal(has_role=has_role))

    def refusal(self, *, has_role: bool) -> str:
        """Return the sentence that says why the session has ended; "" if it hasn't."""
        now = timezone.now()
        if has_role and now - self.used_at > ROLE_IDLE:
            return _("You were logged out because you hadn't used the site for 12 hours.")
        if has_role and now - self.began_at > ROLE_LONGEST:
            return _("You were logged out because you had been logged in for 7 days.")
        if now - self.used_at > IDLE:
            return _("You were logged out because you hadn't used the site for 30 days.")
        return ""


def use_of(data: dict[str, Any] | SessionBase) -> SessionUse | None:
    """Return the notes in a session's data; None if there are none yet."""
    noted = data.get(KEY)
    if noted is None:
        return None
    began, used, browser, system, network = noted
    return SessionUse(_time(began), _time(used), browser, system, network)


def is_over(session: SessionBase, *, has_role: bool) -> bool:
    """Return whether a member's session has ended because of its age or of disuse."""
    use = use_of(session)
    return use is not None and use.is_over(has_role=has_role)


def note_use(request: HttpRequest) -> None:
    """Note in a member's session that it is used now. Writes nothing within an hour."""
    before, now = use_of(request.session), timezone.now()
    if before and now - before.used_at < STEP:
        return
    began = before.began_at if before else now
    device = device_of(request.headers.get("User-Agent", ""))
    was_modified = request.session.modified
    request.session[KEY] = notes(began, now, *device, coarse_network(request))
    request.session.only_noted = not was_modified  # type: ignore[attr-defined]


def notes(began: datetime, used: datetime, browser: str, system: str, network: str) -> list[Any]:
    """Return the notes as the session stores them."""
    return [int(began.timestamp()), int(used.timestamp()), browser, system, network]


def is_members(session: SessionBase) -> bool:
    """Return whether the request has read the session, and somebody is logged in."""
    return session.accessed and SESSION_KEY in session


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.get_default_timezone())
