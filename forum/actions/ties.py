"""A person's ties to people, groups and posts: follows, hidden groups, saved and hidden posts.

Ties are stored in SQL, and the outbox copies them to Redis. A person's ties are locked while one of
them changes. Otherwise two requests could make a person both follow and hide a group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from itertools import groupby, islice
from typing import Any, Self

from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from forum.models import (
    ArchivedVote,
    Group,
    GroupFollow,
    HiddenGroup,
    Mark,
    PersonFollow,
    Post,
    User,
)
from forum.store import outbox
from forum.store.service import get_voting_service
from voting.types import Vote
from voting.types.person_lists import MAX_LIKED, PersonList

READ = 2_000
"""Number of rows to read from SQL at once when Redis is filled."""


class Kind(StrEnum):
    """The kinds of ties: follow a person, follow or hide a group, save or hide a post."""

    PERSON = "person"
    GROUP = "group"
    HIDDEN_GROUP = "nogroup"
    SAVED = "saved"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Table:
    """The SQL table in which one kind of tie is stored."""

    rows: models.Manager[Any]
    owner: str
    subject: str
    mark: str = ""

    def fields(self, user_id: int, subject_id: int) -> dict[str, Any]:
        """Return the values of the columns that identify a tie."""
        marked = {"kind": self.mark} if self.mark else {}
        return {self.owner: user_id, self.subject: subject_id, **marked}

    def since(self, user_id: int, subject_id: int) -> datetime | None:
        """Return when a person made a tie (such as a follow), or None without a tie."""
        found = self.rows.filter(**self.fields(user_id, subject_id))
        return found.values_list("at", flat=True).first()


TABLES = {
    Kind.PERSON: Table(PersonFollow.objects, "follower_id", "person_id"),
    Kind.GROUP: Table(GroupFollow.objects, "follower_id", "group_id"),
    Kind.HIDDEN_GROUP: Table(HiddenGroup.objects, "user_id", "group_id"),
    Kind.SAVED: Table(Mark.objects, "user_id", "post_id", Mark.Kind.SAVED),
    Kind.HIDDEN: Table(Mark.objects, "user_id", "post_id", Mark.Kind.HIDDEN),
}
LISTS = {Kind.SAVED: PersonList.SAVED, Kind.HIDDEN: PersonList.HIDDEN}


@dataclass(frozen=True)
class TieSync(outbox.Sync):
    """Syncs a person's tie, such as a follow or a saved post, from SQL to Redis."""

    kind = "tie"
    tie: str
    user_id: int
    other_id: int
    """The id of the person, group or post at the other end of the tie."""

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Write these ties, such as follows and saved posts, from SQL to Redis."""
        for one in dict.fromkeys(syncs):
            sync(Kind(one.tie), one.user_id, one.other_id)


@dataclass(frozen=True)
class GroupNameSync(outbox.Sync):
    """Updates a renamed group's name in people's lists in Redis, or removes a deleted group's name.

    Merged groups are deleted too. `user_ids` are people who follow or hide the group, or did so
    when it was deleted.
    """

    kind = "group_name"
    in_background = True
    group_id: int
    old: str
    user_ids: Sequence[int]

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Update a group's name in people's lists of followed and hidden groups in Redis.

        Removes the old name from these lists. If the name now belongs to another group that the
        person follows or hides, the name stays for that group.
        """
        for one in syncs:
            found = Group.objects.filter(Q(pk=one.group_id) | Q(slug=one.old))
            slugs = dict(found.values_list("pk", "slug"))
            for user_id in one.user_ids:
                for group_id in slugs:
                    sync(Kind.GROUP, user_id, group_id)
                    sync(Kind.HIDDEN_GROUP, user_id, group_id)
                if one.old not in slugs.values():
                    get_voting_service().follows.set_group(user_id, one.old, None)
                    get_voting_service().person_lists.hide_group(user_id, one.old, False)


@transaction.atomic
def change(kind: Kind, user_id: int, subject_id: int, on: bool) -> bool:
    """Make or remove a tie; return whether anything changed."""
    User.lock(user_id)
    table = TABLES[kind]
    fields = table.fields(user_id, subject_id)
    if on:
        _tie, changed = table.rows.get_or_create(**fields, defaults={"at": timezone.now()})
    else:
        changed = table.rows.filter(**fields).delete()[0] > 0
    if changed:
        outbox.add(TieSync(kind, user_id, subject_id))
    return changed


def sync(kind: Kind, user_id: int, subject_id: int) -> None:
    """Write a tie from SQL to Redis.

    Raises StoreUnavailable if Redis is unavailable.
    """
    outbox.write_until_stable(
        partial(TABLES[kind].since, user_id, subject_id), partial(_write, kind, user_id, subject_id)
    )


def _write(kind: Kind, user_id: int, subject_id: int, since: datetime | None) -> None:
    at = None if since is None else since.timestamp()
    service = get_voting_service()
    if kind in LISTS:
        service.person_lists.put(LISTS[kind], user_id, subject_id, at)
    elif kind is Kind.PERSON:
        service.follows.set_person(user_id, subject_id, at)
    elif name := Group.objects.filter(pk=subject_id).values_list("slug", flat=True).first():
        if kind is Kind.GROUP:
            service.follows.set_group(user_id, name, at)
        else:
            service.person_lists.hide_group(user_id, name, at is not None)


def fill() -> None:
    """Load everybody's ties, such as follows and saved posts, from SQL into Redis."""
    follows, lists = get_voting_service().follows, get_voting_service().person_lists
    follows.fill(_timed(PersonFollow.objects.values_list("follower_id", "person_id", "at")))
    follows.fill_groups(_timed(GroupFollow.objects.values_list("follower_id", "group__slug", "at")))
    for kind, person_list in LISTS.items():
        marks = Mark.objects.filter(kind=TABLES[kind].mark)
        lists.fill(person_list, _timed(marks.values_list("user_id", "post_id", "at")))
    hidden = HiddenGroup.objects.values_list("user_id", "group__slug")
    lists.fill_hidden_groups(hidden.iterator(READ))
    lists.fill(PersonList.LIKED, _liked())


def _timed(ties: Any) -> Iterator[tuple[int, Any, float]]:
    for owner, subject, at in ties.iterator(READ):
        yield owner, subject, at.timestamp()


def _liked() -> Iterator[tuple[int, int, float]]:
    """Yield each person's latest up votes on others' posts, as (person id, post id, time)."""
    own = Post.objects.filter(pk=OuterRef("post_id"), author_id=OuterRef("user_id"))
    ups = ArchivedVote.objects.filter(~Exists(own), vote=Vote.UP, comment_id=0)
    votes = ups.order_by("user_id", "-at").values_list("user_id", "post_id", "at")
    for _person, liked in groupby(_timed(votes), key=lambda vote: vote[0]):
        yield from islice(liked, MAX_LIKED)
