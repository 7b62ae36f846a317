"""The token by which a form proves that it comes from a page of ours.

The same as Django's `get_token` makes, cheaper: the mask (which keeps a compressed page from giving
the secret away by its length) is drawn and added in one piece instead of letter by letter, and a
cookie that is there already is not sent again. It lives for a year from log-in, a session for a
month.
"""

from os import urandom

from django.http import HttpRequest
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH, get_token

LETTERS = CSRF_ALLOWED_CHARS.encode()
EVEN = 256 // len(LETTERS) * len(LETTERS)
"""Random bytes below this fall on every letter alike."""
UNEVEN = bytes(range(EVEN, 256))
TO_LETTER = bytes(LETTERS[number % len(LETTERS)] for number in range(256))
TO_NUMBER = bytes.maketrans(LETTERS, bytes(range(len(LETTERS))))
DRAWN = CSRF_SECRET_LENGTH * 3 // 2
"""Random bytes that nearly always hold enough even ones."""


def token(request: HttpRequest) -> str:
    """Return a token for the forms of an answer; no two are the same."""
    secret = request.META.get("CSRF_COOKIE")
    if secret is None:
        return get_token(request)
    mask = _mask()
    numbers = (int.from_bytes(one.translate(TO_NUMBER)) for one in (secret.encode(), mask))
    return (mask + sum(numbers).to_bytes(CSRF_SECRET_LENGTH).translate(TO_LETTER)).decode()


def _mask() -> bytes:
    mask = b""
    while len(mask) < CSRF_SECRET_LENGTH:
        mask += urandom(DRAWN).translate(TO_LETTER, UNEVEN)
    return mask[:CSRF_SECRET_LENGTH]
