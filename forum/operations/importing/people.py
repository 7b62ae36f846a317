"""The people that an import brings: authors, and voters nobody knows by name.

They can't log in. An import never speaks for somebody who signed up here: where a name is taken
the newcomer gets another.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction

from forum.models import User
from forum.text.usernames import LONGEST, SHORTEST

ROWS = 1_000
"""Rows of one INSERT at most."""


@dataclass(frozen=True, slots=True)
class Stranger:
    """Somebody who may not have an account here yet."""

    origin: str
    name: str
    joined_at: int
    """Seconds since 1970."""


def ensure(strangers: Sequence[Stranger]) -> dict[str, int]:
    """Return everybody's id by origin, in the order given; accounts that lack are made.

    One transaction, three queries and one for every `ROWS` people.
    """
    with transaction.atomic():
        ids = _known(strangers)
        missing = [one for one in strangers if one.origin not in ids]
        names = Names(User.objects.values_list("username", flat=True))
        made = User.objects.bulk_create(_accounts(missing, names), batch_size=ROWS)
    ids.update((one.origin, user.pk) for one, user in zip(missing, made, strict=True))
    return {one.origin: ids[one.origin] for one in strangers}


class Names:
    """User names that are taken or reserved. Large and small letters count as the same."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {name.lower() for name in (*taken, *settings.ACCOUNT_USERNAME_BLACKLIST)}
        self._next: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Return a free name like the wanted one in letters, digits, "_" and "-"; it is taken now.

        The same calls in the same order give the same names.
        """
        plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode()
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", plain).strip("-").lstrip("_-")[:LONGEST]
        if len(base) < SHORTEST:
            base = f"user-{base}".rstrip("-")
        name, key = base, base.lower()
        for number in count(self._next.get(key, 2)):
            if name.lower() not in self._taken:
                break
            self._next[key] = number + 1
            name = f"{base[: LONGEST - len(str(number)) - 1]}-{number}"
        self._taken.add(name.lower())
        return name


def _known(strangers: Sequence[Stranger]) -> dict[str, int]:
    known: dict[str, int] = {}
    for start in range(0, len(strangers), ROWS):
        origins = [one.origin for one in strangers[start : start + ROWS]]
        found = User.objects.filter(origin__in=origins).values_list("origin", "pk")
        known.update((origin, pk) for origin, pk in found if origin)
    return known


def _accounts(strangers: Sequence[Stranger], names: Names) -> list[User]:
    no_password = make_password(None)
    return [
        User(
            username=names.take(one.name),
            password=no_password,
            date_joined=datetime.fromtimestamp(one.joined_at, UTC),
            origin=one.origin,
        )
        for one in strangers
    ]
