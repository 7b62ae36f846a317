"""Refuses passwords that are easy to guess. No rule asks for certain kinds of characters."""

import re
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth import password_validation
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from forum.config.environment import host_of
from forum.models import User

UNREPEATED = 6
"""A password needs this many characters if repeated ones count once."""
LONGEST_REPEATED = 12
"""Repetitions of at most this many characters count once."""
CHECKED = 200
"""The rules look only at this many characters, to take little time for a very long password."""
SHORTEST_NAME = 3
"""Shorter parts of the site's name are in many passwords by chance."""
REPETITION = re.compile(rf"(.{{1,{LONGEST_REPEATED}}}?)\1+", re.DOTALL)
DECORATED = re.compile(r"[\W_]*(.*?)\d{0,4}[\W_]*", re.DOTALL)
"""A word with a year or other short number behind it, and with punctuation around both."""


def _without_repetitions(password: str) -> str:
    """Return a password in which repeated characters are there once: "abcabcabcd" is "abcd"."""
    return REPETITION.sub(r"\1", password[:CHECKED])


class CommonPasswordValidator(password_validation.CommonPasswordValidator):
    """Django's list of common passwords, also if they are repeated, or end with a year or "!"."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError if the password is a common one."""
        for form in {password, *_plain_forms(password[:CHECKED])}:
            super().validate(form, user)


def _plain_forms(password: str) -> Iterator[str]:
    for form in (password, _without_repetitions(password)):
        yield form
        yield form.rstrip("!?.*#$-_ ")
        if decorated := DECORATED.fullmatch(form):
            yield decorated[1]


class RepeatedCharactersValidator:
    """Refuses passwords that repeat a few characters, such as "abcabcabcabc" or eight spaces."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raise ValidationError if the password repeats a few characters."""
        if len(_without_repetitions(password)) < UNREPEATED:
            raise ValidationError(
                _("This password only repeats a few characters."), code="password_repeats"
            )

    def get_help_text(self) -> str:
        return _("Your password can't only repeat a few characters.")


class SiteNameValidator:
    """Refuses passwords that are little more than the name of the site, such as "rostra2026"."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raise ValidationError if the rest of the password is too short without the name."""
        typed = rest = _letters(password[:CHECKED])
        for name in sorted(_site_names(), key=len, reverse=True):
            rest = rest.replace(name, "")
        if rest != typed and len(rest) < UNREPEATED:
            raise ValidationError(
                _("This password is too similar to the name of the site."), code="password_of_site"
            )

    def get_help_text(self) -> str:
        return _("Your password can't be too similar to the name of the site.")


def _site_names() -> set[str]:
    """Return the letters of the site's name, of its host name, and of the software's name."""
    host = host_of(settings.SITE_URL)
    names = map(_letters, ("rostra", settings.SITE_NAME, host, *host.split(".")[:-1]))
    return {name for name in names if len(name) >= SHORTEST_NAME}


def _letters(text: str) -> str:
    """Return the letters of a text, in lower case."""
    return re.sub(r"[\W\d_]", "", text).lower()
