"""Recognises browsers that people have logged in with before. OWASP calls this device cookies.

Failed log-ins are limited for each login (user name or email address). So guessing passwords is
slow, even from many IP addresses. But with only this limit, strangers could lock people out of
their own accounts. Therefore a signed cookie lists the logins that a browser has used. Failed
log-ins from this browser with these logins have a separate limit, which strangers can't use up.
"""

from collections.abc import Iterable
from hashlib import sha256
from secrets import token_hex

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE = f"{settings.SECURE_COOKIE}known"
PATH = "/accounts/"
"""The path of the cookie. Other pages don't get the cookie, so that guests' pages can be cached."""
AGE = 365 * 86_400
"""How many seconds the cookie stays valid after the last log-in."""
LOGINS = 6
"""The most user names and email addresses in a cookie. A new one replaces the oldest."""
SALT = "forum.identity.known_browsers"


def attempts_key(request: HttpRequest, login: str) -> str:
    """Return the rate-limit key for failed attempts to log in as `login` from this browser.

    `login` is a user name or an email address.
    """
    browser, *logins = _read(request)
    return _key(login, browser) if _digest(login) in logins else shared_attempts_key(login)


def shared_attempts_key(login: str) -> str:
    """Return the rate-limit key shared by all browsers that haven't logged in as `login` before."""
    return _key(login, "")


def remember(request: HttpRequest, response: HttpResponse, logins: Iterable[str]) -> None:
    """After log-in, add the hashes of the person's `logins` to the browser's cookie.

    `logins` are the person's user name and email addresses.
    """
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
    """Return the parts of the cookie: the browser's id, then the hash of each login.

    Without a valid cookie, the id is "" and there are no hashes.
    """
    return str(request.get_signed_cookie(COOKIE, default="", salt=SALT, max_age=AGE)).split(".")


def _digest(login: str) -> str:
    """Return the hash that the cookie contains instead of a user name or email address."""
    return sha256(f"{SALT}{_normalise(login)}".encode()).hexdigest()[:16]


def _key(login: str, browser: str) -> str:
    return f"login:{_normalise(login)}:{browser}"


def _normalise(login: str) -> str:
    """Return a login (a user name or an email address) in lower case.

    Two logins that PostgreSQL treats as equal become the same text.
    """
    return login.upper().lower()
