"""What a name may be: it stands in addresses (`/u/ada/`) and in texts (`@ada`)."""

import re

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

SHORTEST = 2
LONGEST = 30
HELP = gettext_lazy("2 to 30 letters A to Z, digits, - and _. Part of addresses; it never changes.")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def check(name: str) -> None:
    """Raise ValidationError with a sentence where a name can't be one."""
    if not SHORTEST <= len(name) <= LONGEST:
        raise ValidationError(
            _("A name has %(least)s to %(most)s characters."),
            "length",
            {"least": SHORTEST, "most": LONGEST},
        )
    if not NAME.fullmatch(name):
        raise ValidationError(
            _("A name has letters A to Z, digits, - and _, and begins with a letter or digit."),
            "characters",
        )
