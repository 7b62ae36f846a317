"""Creates accounts for the authors of imported posts, and for invented voters.

Nobody can log in with these accounts until staff send a link to reset the password. Then their
votes count at once, since staff made them. If a member already has an author's name, the author's
account gets a similar name.
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

from forum.models import FormerName, User
from forum.text.usernames import LONGEST, ROLES, SHORTEST

ROWS = 1_000
"""How many rows one INSERT may have."""


@dataclass(frozen=True, slots=True)
class Stranger:
    """A person in an import, who may not have an account yet."""

    origin: str
    name: str
    joined_at: int
    """When the person joined, in seconds since 1970."""


def ensure(strangers: Sequence[Stranger]) -> dict[str, int]:
    """Create accounts for those people in an import who don't have one yet.

    `strangers` are all people in the import. Returns a dict that maps each person's `origin` to the
    id of the person's account, in the order of `strangers`. One transaction.
    """
    with transaction.atomic():
        ids = _known(strangers)
        missing = [stranger for stranger in strangers if stranger.origin not in ids]
        former = FormerName.objects.values_list("name", flat=True)
        names = Names((*User.objects.values_list("username", flat=True), *former))
        made = User.objects.bulk_create(_accounts(missing, names), batch_size=ROWS)
    ids.update((new.origin, user.pk) for new, user in zip(missing, made, strict=True))
    return {stranger.origin: ids[stranger.origin] for stranger in strangers}


class Names:
    """User names that are taken or reserved. Upper and lower case count as equal."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {name.lower() for name in (*taken, *ROLES, settings.SITE_NAME)}
        self._next: dict[str, int] = {}

    def take(self, preferred: str) -> str:
        """Reserve and return a free user name that is similar to `preferred`.

        For example, if "ada" is taken, returns "ada-2".
        """
        plain = unicodedata.normalize("NFKD", preferred).encode("ascii", "ignore").decode()
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
        origins = [stranger.origin for stranger in strangers[start : start + ROWS]]
        accounts = User.objects.filter(origin__in=origins).values_list("origin", "pk")
        known.update((origin, pk) for origin, pk in accounts if origin)
    return known


def _accounts(strangers: Sequence[Stranger], names: Names) -> list[User]:
    no_password = make_password(None)
    return [
        User(
            username=names.take(stranger.name),
            password=no_password,
            date_joined=datetime.fromtimestamp(stranger.joined_at, UTC),
            origin=stranger.origin,
            counts_at_once=True,
        )
        for stranger in strangers
    ]
