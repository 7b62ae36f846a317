"""Rules for user names, which are part of URLs (`/u/ada/`) and texts (`@ada`)."""

import re

from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

SHORTEST = 2
LONGEST = 30
HELP = format_lazy(
    gettext_lazy(
        "{least} to {most} letters (A to Z), digits, - or _, beginning with a letter or digit."
        " Shown to everyone. You can change it once a year."
    ),
    least=SHORTEST,
    most=LONGEST,
)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
ROLES = frozenset(
    {
        *("admin", "admins", "administrator", "administrators", "moderator", "moderators", "mod"),
        *("mods", "staff", "support", "root", "system", "sysadmin", "official", "security"),
        *("help", "helpdesk", "team", "owner", "owners", "webmaster", "hostmaster", "postmaster"),
        *("abuse", "bot", "noreply", "deleted", "anonymous", "guest", "everyone", "nobody"),
        "rostra",
    }
)
"""Names that look official, or like a deleted or unknown person."""
ANYWHERE = ("admin", "moderator")
"""Names may neither begin nor end with these."""
SHORTEST_SITE = 5
"""Names may begin or end with the name of the site only if it is shorter than this."""
LEET = str.maketrans("0134578", "oleastb")
"""Digits that stand for letters in names such as "adm1n" and "m0d3rat0r"; "1" is also an "i"."""


def check(name: str) -> None:
    """Raise ValidationError with a message if a name is not allowed."""
    if not SHORTEST <= len(name) <= LONGEST:
        raise ValidationError(
            _("A user name must have %(least)s to %(most)s characters."),
            "length",
            {"least": SHORTEST, "most": LONGEST},
        )
    if not NAME.fullmatch(name):
        raise ValidationError(
            _(
                "A user name can contain letters (A to Z), digits, - and _, and "
                "must begin with a letter or digit."
            ),
            "characters",
        )


def is_reserved(name: str, site_name: str) -> bool:
    """Return whether a name looks official: like a role, or like the name of the site."""
    site = _plain(re.sub(r"[\W_]", "", site_name))
    words = re.split(r"[-_]+", name.lower())
    whole = "".join(words)
    forms = {_plain(form) for word in (*words, whole) for form in (word, word.strip("0123456789"))}
    if forms & {*map(_plain, ROLES), site}:
        return True
    parts = [_plain(part) for part in ANYWHERE] + ([site] if len(site) >= SHORTEST_SITE else [])
    return any(form.startswith(part) or form.endswith(part) for form in forms for part in parts)


def _plain(word: str) -> str:
    """Return a word in lower case without digits for letters. "i" and "l" become the same."""
    return word.lower().translate(LEET).replace("i", "l")
