"""Reads follows and blocks from Redis, or from SQL while Redis is unavailable."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings

from forum.models import Block, GroupFollow, HiddenGroup, PersonFollow, User
from forum.queries.groups import Topic, directory
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types import Page
from voting.types.follows import FollowCounts, FollowSide, GroupRelation, Suggestion

THROUGH_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Since:
    """A person in a list of follows, followers or blocks, and when the follow or block began."""

    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class People:
    """A page of a list of people, such as followers; people who were added last come first."""

    people: tuple[Since, ...]
    number: int
    total: int

    @property
    def page(self) -> Page:
        """The page's number and size and the length of the list, to make links to other pages."""
        return Page.numbered((), self.number, settings.PAGE_SIZE, self.total)


@dataclass(frozen=True, slots=True)
class Suggested:
    """A suggestion to follow the person `name`, who has followers whom the viewer follows.

    `through` names a few of these followers, and `others` says how many more there are.
    """

    name: str
    through: tuple[str, ...]
    others: int


def sql_ties(person: User, viewer_id: int | None) -> FollowCounts:
    """Count a person's follows and followers in SQL, and check whether the viewer is a follower.

    Four queries.
    """
    return FollowCounts(
        follows=PersonFollow.objects.filter(follower=person).count(),
        groups=GroupFollow.objects.filter(follower=person).count(),
        followers=PersonFollow.objects.filter(person=person).count(),
        followed=PersonFollow.objects.filter(follower=viewer_id, person=person).exists(),
    )


def people(side: FollowSide, person: User, number: int) -> People:
    """Return a page of a person's follows or followers. One round trip and one query."""
    start = (number - 1) * settings.PAGE_SIZE
    try:
        found = get_voting_service().follows.page(side, person.pk, start, settings.PAGE_SIZE)
    except StoreUnavailable:
        return _sql_people(side, person, number)
    named = names([bond.id for bond in found.follows])
    known = [(named[bond.id], bond.at) for bond in found.follows if bond.id in named]
    listed = tuple(Since(name, datetime.fromtimestamp(at, UTC)) for name, at in known)
    return People(listed, number, found.total)


def _sql_people(side: FollowSide, person: User, number: int) -> People:
    """Return a page of a person's follows or followers from SQL. Three queries."""
    if side is FollowSide.FOLLOWS:
        bonds, other = PersonFollow.objects.filter(follower=person), "person_id"
    else:
        bonds, other = PersonFollow.objects.filter(person=person), "follower_id"
    start = (number - 1) * settings.PAGE_SIZE
    rows = bonds.order_by("-at", "-pk").values_list(other, "at")
    found = list(rows[start : start + settings.PAGE_SIZE])
    named = names([user_id for user_id, _at in found])
    return People(tuple(Since(named[one], at) for one, at in found), number, bonds.count())


def blocked(person: User, number: int) -> People:
    """Return a page of the people whom a person blocks. Two queries.

    If there is no page `number`, returns the last page.
    """
    blocks = person.blocks.order_by("-at", "-pk")
    listed = People((), number, blocks.count())
    number = min(number, listed.page.pages)
    start = (number - 1) * settings.PAGE_SIZE
    rows = blocks.values_list("blocked__username", "at")[start : start + settings.PAGE_SIZE]
    return People(tuple(Since(*row) for row in rows), number, listed.total)


def names(user_ids: Sequence[int]) -> dict[int, str]:
    """Map the ids of people to their names. Leaves out deleted people. One query."""
    found = User.objects.filter(pk__in=user_ids)
    return dict(found.values_list("pk", "username")) if user_ids else {}


def followed_groups(person: User) -> list[Topic]:
    """Return the groups that a person follows, the latest follow first.

    One round trip; one query while Redis is unavailable.
    """
    try:
        slugs = [bond.name for bond in get_voting_service().follows.groups(person.pk)]
    except StoreUnavailable:
        archived = GroupFollow.objects.filter(follower=person).order_by("-at")
        slugs = list(archived.values_list("group__slug", flat=True))
    topics = directory.topics()
    return [topics[slug] for slug in slugs if slug in topics]


def worth_following(
    viewer_id: int, found: Sequence[Suggestion], most: int
) -> tuple[Suggested, ...]:
    """Return the first `most` suggested people whom the viewer neither follows nor blocks.

    Three queries.
    """
    ids = {one.id for one in found}
    known = PersonFollow.objects.filter(follower=viewer_id, person__in=ids)
    blocked = Block.objects.filter(user=viewer_id, blocked__in=ids)
    ids -= {*known.values_list("person", flat=True), *blocked.values_list("blocked", flat=True)}
    shown = [one for one in found if one.id in ids][:most]
    through = {each for one in shown for each in one.via[:THROUGH_SHOWN]}
    named = names([*(one.id for one in shown), *through])
    return tuple(
        Suggested(
            named[one.id],
            tuple(named[each] for each in one.via[:THROUGH_SHOWN] if each in named),
            max(0, len(one.via) - THROUGH_SHOWN),
        )
        for one in shown
        if one.id in named
    )


def sql_group_relation(viewer_id: int, slug: str) -> GroupRelation:
    """Read from SQL whether a person follows a group, and whether the person hides the group.

    Two queries.
    """
    follows = GroupFollow.objects.filter(follower=viewer_id, group__slug=slug)
    hidden = HiddenGroup.objects.filter(user=viewer_id, group__slug=slug)
    return GroupRelation(follows.exists(), hidden.exists())


def blocks(user_id: int, person_id: int) -> bool:
    """Return whether the person `user_id` has blocked the person `person_id`. One query."""
    return Block.objects.filter(user_id=user_id, blocked_id=person_id).exists()
