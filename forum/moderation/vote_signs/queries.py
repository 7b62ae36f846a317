"""Reads the votes that deserve a look, for the page that lists them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from forum.models import User, VoteSign
from forum.models.managers import TEXTS

LONG = [f"{thing}__{name}" for thing in ("post", "comment") for name in TEXTS]
"""Columns with long texts, which the page doesn't show."""


@dataclass(frozen=True, slots=True)
class SignView:
    """A sign, with the names of its accounts and the address of the preview of voiding."""

    sign: VoteSign
    names: tuple[str, ...]
    void: str
    """The address of the preview of voiding. "" if there are no votes, or for auditors."""

    @property
    def more(self) -> int:
        """How many accounts aren't named."""
        return self.sign.accounts - len(self.names)


def found_signs(*, may_void: bool) -> list[tuple[str, list[SignView]]]:
    """Return the signs of each kind, with the kind in words. Two queries."""
    signs = list(
        VoteSign.objects.select_related("post", "comment", "person").defer(*LONG).order_by("pk")
    )
    ids = {pk for sign in signs for pk in sign.people}
    names = dict(User.objects.filter(pk__in=ids).values_list("pk", "username"))
    views = [_view(sign, names, may_void=may_void) for sign in signs]
    groups = [
        (str(kind.label), [one for one in views if one.sign.kind == kind]) for kind in VoteSign.Kind
    ]
    return [(label, some) for label, some in groups if some]


def _view(sign: VoteSign, names: dict[int, str], *, may_void: bool) -> SignView:
    own = sorted((names[pk] for pk in sign.people if pk in names), key=str.casefold)
    may_void = may_void and sign.votes > 0
    return SignView(sign, tuple(own), void_address(own, sign.since, sign.until) if may_void else "")


def void_address(names: Sequence[str], since: datetime, until: datetime) -> str:
    """Return the address of the preview of voiding the votes of accounts in a time span."""
    span = {"since": since.isoformat(), "until": until.isoformat()}
    return f"{reverse('void_votes')}?{urlencode({'accounts': ','.join(names)} | span, safe=',:')}"
