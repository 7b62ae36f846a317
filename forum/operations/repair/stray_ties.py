"""Takes out of people's lists in Redis the follows and marks that SQL does not have, live."""

from collections.abc import Callable, Iterable, Iterator

from django.db.models import Q

from forum.gateway.service import get_voting_service
from forum.models import Group, User
from forum.queries.batches import batches, each_pk
from forum.social.ties import LISTS, TABLES, Kind, sync


def untie_strays() -> None:
    """Sync the ties that lists hold and SQL does not.

    One query, then five and as many round trips for 500 people, and a few more for each stray.

    What somebody follows or saves in the same moment is synced as SQL has it. Raises
    StoreUnavailable.
    """
    groups = dict(Group.objects.values_list("slug", "pk"))
    for some in batches(each_pk(User.objects.all())):
        follows, lists = get_voting_service().follows, get_voting_service().person_lists
        _untie(Kind.PERSON, some, follows.of_people(some))
        for kind, kept in LISTS.items():
            _untie(kind, some, lists.members(kept, some))
        _untie(Kind.GROUP, some, _numbered(groups, follows.groups_of_people(some), _unfollow))
        _untie(Kind.HIDDEN_GROUP, some, _numbered(groups, lists.hidden_groups_of(some), _show))


def _untie(kind: Kind, persons: list[int], held: Iterable[tuple[int, int]]) -> None:
    table = TABLES[kind]
    concerned = Q(**{f"{table.owner}__in": persons})
    if kind is Kind.PERSON:
        concerned |= Q(**{f"{table.subject}__in": persons})
    marked = {"kind": table.mark} if table.mark else {}
    known = table.rows.filter(concerned, **marked).values_list(table.owner, table.subject)
    for user_id, subject_id in set(held).difference(known.iterator()):
        sync(kind, user_id, subject_id)


def _numbered(
    numbers: dict[str, int], named: Iterable[tuple[int, str]], drop: Callable[[int, str], object]
) -> Iterator[tuple[int, int]]:
    """Yield groups by their numbers; drop at once what SQL knows no group of."""
    for person, name in named:
        if name in numbers:
            yield person, numbers[name]
        else:
            drop(person, name)


def _unfollow(person: int, name: str) -> None:
    get_voting_service().follows.set_group(person, name, None)


def _show(person: int, name: str) -> None:
    get_voting_service().person_lists.hide_group(person, name, False)
