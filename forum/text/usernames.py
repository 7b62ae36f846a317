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
        " Shown to everyone, and can't be changed later."
    ),
    least=SHORTEST,
    most=LONGEST,
)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


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
