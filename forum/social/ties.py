"""What ties a person to people, groups and posts: SQL decides in one transaction, Redis hears.

What a crash or an absent Redis leaves untold stays in SQL (`UntoldBond`), and the worker repeats
it. A person's row is locked while a bond of theirs changes and while it is told, so that two
changes at once reach Redis in the order in which SQL took them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby, islice
from typing import Any

import structlog
from django.db import DatabaseError, models, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from forum.gateway.service import get_voting_service
from forum.models import (
    ArchivedVote,
    Group,
    GroupFollow,
    HiddenGroup,
    Mark,
    PersonFollow,
    Post,
    UntoldBond,
    User,
)
from voting.errors import StoreUnavailable
from voting.types import Vote
from voting.types.person_lists import LIKED_KEPT, Kept

Kind = UntoldBond.Kind
GRACE = timedelta(seconds=2)
"""Age at which an item is no longer the business of the request that wrote it."""
BATCH = 100
"""Items told at once, so that a person's row (all of SQLite) is locked for milliseconds."""
READ = 2_000
"""Rows read in one go while filling."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Table:
    """Where SQL keeps the bonds of a kind."""

    rows: models.Manager[Any]
    owner: str
    subject: str
    mark: str = ""

    def fields(self, user_id: int, subject_id: int) -> dict[str, Any]:
        """Return what tells one bond from every other."""
        marked = {"kind": self.mark} if self.mark else {}
        return {self.owner: user_id, self.subject: subject_id, **marked}

    def since(self, user_id: int, subject_id: int) -> datetime | None:
        """Return since when there is a bond, None where there is none. One query."""
        found = self.rows.filter(**self.fields(user_id, subject_id))
        return found.values_list("at", flat=True).first()


TABLES = {
    Kind.PERSON: Table(PersonFollow.objects, "follower_id", "person_id"),
    Kind.GROUP: Table(GroupFollow.objects, "follower_id", "group_id"),
    Kind.HIDDEN_GROUP: Table(HiddenGroup.objects, "user_id", "group_id"),
    Kind.SAVED: Table(Mark.objects, "user_id", "post_id", Mark.Kind.SAVED),
    Kind.HIDDEN: Table(Mark.objects, "user_id", "post_id", Mark.Kind.HIDDEN),
}
LISTS = {Kind.SAVED: Kept.SAVED, Kind.HIDDEN: Kept.HIDDEN}


@transaction.atomic
def change(kind: Kind, user_id: int, subject_id: int, on: bool) -> bool:
    """Make or undo a bond; say whether that changed anything. Repeating it changes nothing."""
    lock(user_id)
    table = TABLES[kind]
    fields = table.fields(user_id, subject_id)
    if on:
        _bond, changed = table.rows.get_or_create(**fields, defaults={"at": timezone.now()})
    else:
        changed = table.rows.filter(**fields).delete()[0] > 0
    if changed:
        UntoldBond.objects.create(user_id=user_id, kind=kind, subject_id=subject_id)
        transaction.on_commit(partial(_tell_or_leave, user_id))
    return changed


def lock(user_id: int) -> None:
    """Let nobody else change or tell this person's bonds until the transaction ends. One query."""
    User.objects.select_for_update(no_key=True).only("pk").filter(pk=user_id).first()


def _tell_or_leave(user_id: int) -> None:
    try:
        tell(user_id)
    except (StoreUnavailable, DatabaseError) as error:
        log.warning("a bond waits to be told", user_id=user_id, reason=str(error))


@transaction.atomic
def tell(user_id: int) -> None:
    """Tell Redis how a person's changed bonds are now. Raises StoreUnavailable; they then wait.

    One round trip a bond.
    """
    lock(user_id)
    waiting = list(UntoldBond.objects.filter(user_id=user_id).order_by("pk")[:BATCH])
    for kind, subject_id in dict.fromkeys((item.kind, item.subject_id) for item in waiting):
        _send(Kind(kind), user_id, subject_id)
    UntoldBond.objects.filter(pk__in=[item.pk for item in waiting]).delete()


def _send(kind: Kind, user_id: int, subject_id: int) -> None:
    since = TABLES[kind].since(user_id, subject_id)
    at = None if since is None else since.timestamp()
    if kind in LISTS:
        get_voting_service().lists.put(LISTS[kind], user_id, subject_id, at)
    elif kind is Kind.PERSON:
        get_voting_service().follows.set_person(user_id, subject_id, at)
    elif name := Group.objects.filter(pk=subject_id).values_list("slug", flat=True).first():
        if kind is Kind.GROUP:
            get_voting_service().follows.set_group(user_id, name, at)
        else:
            get_voting_service().lists.hide_group(user_id, name, at is not None)


@transaction.atomic
def settle(kind: Kind, user_id: int, subject_id: int) -> None:
    """Tell Redis how a bond is in SQL now, changed or not. Raises StoreUnavailable."""
    lock(user_id)
    _send(kind, user_id, subject_id)


def repeat() -> int:
    """Tell what has waited for two seconds; return of how many people. Raises StoreUnavailable.

    One query where nothing waits.
    """
    waiting = UntoldBond.objects.filter(created_at__lt=timezone.now() - GRACE).order_by("pk")
    user_ids = list(dict.fromkeys(waiting.values_list("user_id", flat=True)[:BATCH]))
    for user_id in user_ids:
        tell(user_id)
    return len(user_ids)


def fill() -> None:
    """Load every bond of everybody into Redis. A round trip a thousand."""
    follows, lists = get_voting_service().follows, get_voting_service().lists
    follows.fill(_timed(PersonFollow.objects.values_list("follower_id", "person_id", "at")))
    follows.fill_groups(_timed(GroupFollow.objects.values_list("follower_id", "group__slug", "at")))
    for kind, kept in LISTS.items():
        marks = Mark.objects.filter(kind=TABLES[kind].mark)
        lists.fill(kept, _timed(marks.values_list("user_id", "post_id", "at")))
    hidden = HiddenGroup.objects.values_list("user_id", "group__slug")
    lists.fill_hidden_groups(hidden.iterator(READ))
    lists.fill(Kept.LIKED, _liked())


def _timed(bonds: Any) -> Iterator[tuple[int, Any, float]]:
    for owner, subject, at in bonds.iterator(READ):
        yield owner, subject, at.timestamp()


def _liked() -> Iterator[tuple[int, int, float]]:
    """Yield the last posts of others that each person voted up."""
    own = Post.objects.filter(pk=OuterRef("post_id"), author_id=OuterRef("user_id"))
    ups = ArchivedVote.objects.filter(~Exists(own), vote=Vote.UP, comment_id=0)
    votes = ups.order_by("user_id", "-at").values_list("user_id", "post_id", "at")
    for _person, liked in groupby(_timed(votes), key=lambda vote: vote[0]):
        yield from islice(liked, LIKED_KEPT)
