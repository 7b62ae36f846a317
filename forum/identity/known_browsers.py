"""Browsers in which people have logged in before: what OWASP calls device cookies.

Wrong passwords are counted by the name they are given with, so that guessing from many addresses is
slow. That count alone would let any stranger shut a person out of their own account. So a browser
keeps, signed, whose log-ins it has seen, and wrong passwords that come from there with such a name
have a count of their own: neither sees the other's.
"""

from collections.abc import Iterable
from hashlib import sha256
from secrets import token_hex

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE = "known"
PATH = "/accounts/"
"""No other page is sent it, so no page for guests is kept from being remembered."""
AGE = 365 * 86_400
"""Seconds after the last log-in."""
LOGINS = 6
"""Kept of one browser: names and e-mail addresses, the latest first."""
SALT = "forum.identity.known_browsers"


def count(request: HttpRequest, login: str) -> str:
    """Return the name of the count of wrong passwords that come from this browser with a login."""
    browser, *logins = _read(request)
    return _count(login, browser) if _digest(login) in logins else count_elsewhere(login)


def count_elsewhere(login: str) -> str:
    """Return the name of the count of those from all browsers that don't know the login."""
    return _count(login, "")


def remember(request: HttpRequest, response: HttpResponse, logins: Iterable[str]) -> None:
    """Have the browser keep that somebody has logged in, under any of their logins."""
    browser, *before = _read(request)
    known = dict.fromkeys([*(_digest(login) for login in logins if login), *before])
    response.set_signed_cookie(
        COOKIE,
        ".".join([browser or token_hex(8), *list(known)[:LOGINS]]),
        salt=SALT,
        max_age=AGE,
        path=PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> list[str]:
    """Return a browser's mark, empty where it is none of ours, and the digests of its logins."""
    kept = request.get_signed_cookie(COOKIE, default="", salt=SALT, max_age=AGE)
    return str(kept).split(".")


def _digest(login: str) -> str:
    """Return a login as the browser keeps it: who else uses that can't read it there."""
    return sha256(f"{SALT}{_spelt(login)}".encode()).hexdigest()[:16]


def _count(login: str, browser: str) -> str:
    return f"login:{_spelt(login)}:{browser}"


def _spelt(login: str) -> str:
    """Return a name or e-mail address as it is counted, however it was spelt: PostgreSQL compares
    in capitals, of which some letters share one.
    """
    return login.upper().lower()
