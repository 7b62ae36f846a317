"""Browsers that people have logged in with before; OWASP calls this device cookies.

Failed log-ins are limited for each login (user name or email address), so that guessing from many
IP addresses is slow. That limit alone would let any stranger lock people out of their own accounts.
So a signed cookie lists the logins that a browser has used. Failed log-ins from that browser have a
limit of their own, which strangers can't use up.
"""

from collections.abc import Iterable
from hashlib import sha256
from secrets import token_hex

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE = "known"
PATH = "/accounts/"
"""The cookie's path. Other pages don't get the cookie, so that guests' pages can be cached."""
AGE = 365 * 86_400
"""Seconds for which the cookie is valid after the last log-in."""
LOGINS = 6
"""The most user names and email addresses in one browser's cookie; the latest ones stay."""
SALT = "forum.identity.known_browsers"


def attempts_key(request: HttpRequest, login: str) -> str:
    """Return the rate-limit key for failed log-ins with this login from this browser."""
    browser, *logins = _read(request)
    return _key(login, browser) if _digest(login) in logins else shared_attempts_key(login)


def shared_attempts_key(login: str) -> str:
    """Return the rate-limit key for all browsers that have not used this login before."""
    return _key(login, "")


def remember(request: HttpRequest, response: HttpResponse, logins: Iterable[str]) -> None:
    """Store in the browser's cookie that a person with these logins has logged in."""
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
    """Return the browser's id ("" without a valid cookie) and the hashes of logins it used."""
    return str(request.get_signed_cookie(COOKIE, default="", salt=SALT, max_age=AGE)).split(".")


def _digest(login: str) -> str:
    """Return the hash of a login for the cookie, in which other users can't read it."""
    return sha256(f"{SALT}{_normalise(login)}".encode()).hexdigest()[:16]


def _key(login: str, browser: str) -> str:
    return f"login:{_normalise(login)}:{browser}"


def _normalise(login: str) -> str:
    """Return one spelling for all capitalisations of a login that PostgreSQL treats as equal."""
    return login.upper().lower()
