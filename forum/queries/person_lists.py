"""Reads a person's own lists of posts (saved, hidden, liked, viewed) from Redis or else SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from forum.models import ArchivedVote, HiddenGroup, Mark, Post, User
from forum.queries.groups import Topic, directory
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types import Page, Vote
from voting.types.person_lists import MAX_LIKED, MAX_VIEWED, PersonList

MARKS = {PersonList.SAVED: Mark.Kind.SAVED, PersonList.HIDDEN: Mark.Kind.HIDDEN}


@dataclass(frozen=True, slots=True)
class PersonListPage:
    """A page of a person's list of posts: when each post was added to the list, latest first.

    Includes deleted posts. If `redis_down`, the page was read from SQL.
    """

    times: Mapping[int, datetime]
    page: Page
    """The page numbers for the links below the list."""
    redis_down: bool


def page(which: PersonList, person: User, number: int) -> PersonListPage:
    """Return a page of a person's own list. One round trip, and at most two queries.

    While Redis is unavailable, the list of viewed posts is empty, because SQL doesn't store viewed
    posts.
    """
    # The whole history is one page.
    size = MAX_VIEWED if which is PersonList.VIEWED else settings.PAGE_SIZE
    start = (number - 1) * size
    try:
        found = get_voting_service().person_lists.page(which, person.pk, start, size)
    except StoreUnavailable:
        return _from_sql(which, person, number, size)
    times = {item.post_id: datetime.fromtimestamp(item.at, UTC) for item in found.entries}
    if which is not PersonList.LIKED or found.total < MAX_LIKED:
        return PersonListPage(times, Page.numbered((), number, size, found.total), redis_down=False)
    if start + size > MAX_LIKED:
        return _from_sql(which, person, number, size, redis_down=False)
    total = _times(which, person).count()
    return PersonListPage(times, Page.numbered((), number, size, total), redis_down=False)


def _from_sql(
    which: PersonList, person: User, number: int, size: int, *, redis_down: bool = True
) -> PersonListPage:
    listed: Sequence[tuple[int, datetime]] = ()
    total = 0
    if which is not PersonList.VIEWED:
        times = _times(which, person)
        start = (number - 1) * size
        listed, total = list(times[start : start + size]), times.count()
    return PersonListPage(
        dict(listed), Page.numbered((), number, size, total), redis_down=redis_down
    )


def _times(which: PersonList, person: User) -> QuerySet[Any, tuple[int, datetime]]:
    """Return (post id, time of adding the post) for all posts of a list in SQL, latest first."""
    if which in MARKS:
        marks = Mark.objects.filter(user=person, kind=MARKS[which])
        return marks.order_by("-at", "-pk").values_list("post_id", "at")
    own = Post.objects.filter(author=person)
    votes = ArchivedVote.objects.filter(user_id=person.pk, vote=Vote.UP, comment_id=0)
    return votes.exclude(post_id__in=own).order_by("-at", "-pk").values_list("post_id", "at")


def hidden_groups(person: User) -> list[Topic]:
    """Return the groups that a person hides, ordered by title.

    One round trip; one query while Redis is unavailable.
    """
    try:
        slugs = get_voting_service().person_lists.hidden_groups(person.pk)
    except StoreUnavailable:
        hidden = HiddenGroup.objects.filter(user=person)
        slugs = frozenset(hidden.values_list("group__slug", flat=True))
    return [topic for slug, topic in directory.topics().items() if slug in slugs]
