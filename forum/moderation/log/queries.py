"""Reads filtered pages of the moderation log, and the single removals of bulk actions.

For each filter, there is an index that SQL can read in the page's order. So pages load fast even if
the log is long.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from forum.models import LogPlace, ModAction, Post
from forum.models.managers import TEXTS
from forum.moderation.actions.bulk import BULK
from forum.moderation.log.entries import LogEntry, Reader, entry
from forum.queries.keyset import newest_below

VOID_VOTES = ModAction.Kind.VOID_VOTES
RELATED = ("by", "group", "rule", "person", "post__withheld_by", "comment", "undone_by")
LONG = (
    *(f"{thing}__{name}" for thing in ("post", "comment") for name in TEXTS),
    *("by__about", "person__about", "undone_by__about"),
)
"""Columns with long texts. The log doesn't load them, because it doesn't show them."""
FIRST = 5
"""The most single removals that the log lists below a bulk action."""


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Conditions for the actions to list in the log. An action must meet all of them."""

    group_id: int | None = None
    """The group whose log is listed. None lists the actions of all groups and of the site."""
    kind: str = ""
    by_id: int | None = None
    person_id: int | None = None


@dataclass(frozen=True, slots=True)
class LogPage:
    """A page of entries, newest first.

    The next page has ids below `before`, which is None on the last page.
    """

    entries: tuple[LogEntry, ...]
    before: int | None


def page(wanted: LogFilter, reader: Reader, before: int | None) -> LogPage:
    """Return a page of the log as a reader may see it."""
    shown, next_before = newest_below(_related(_newest(wanted, reader, before)), before)
    parts = _first_parts([one.pk for one in shown if one.kind in BULK - {VOID_VOTES}])
    entries = (
        entry(one, reader, [entry(part, reader) for part in parts.get(one.pk, [])]) for one in shown
    )
    return LogPage(tuple(entries), next_before)


def find(action_id: int, reader: Reader) -> LogEntry | None:
    """Return the log entry of the action with this id, or None.

    This also finds the entry of a single removal that a bulk action did.
    """
    found = _related(ModAction.objects.filter(pk=action_id)).first()
    return entry(found, reader) if found else None


def parts_of(action: ModAction, reader: Reader, before: int | None) -> LogPage:
    """Return a page of log entries, one for each removal in a bulk action.

    Only moderators see whose votes were voided: for others, that page is empty. A single query
    would be slower, because PostgreSQL would sometimes read all newer actions.
    """
    if action.kind == VOID_VOTES and not reader.moderates(action):
        return LogPage((), None)
    parts, next_before = newest_below(ModAction.objects.filter(parent=action).only("pk"), before)
    found = _related(ModAction.objects.filter(pk__in=[one.pk for one in parts])).order_by("-pk")
    return LogPage(tuple(entry(one, reader) for one in found), next_before)


def most_voided(action: ModAction, reader: Reader) -> list[Post]:
    """Return the posts with most votes voided by an action, if there are enough votes to name them.

    Leaves out posts whose titles the reader may not know.
    """
    ids = [] if action.parent_id else action.details.get("posts", [])
    posts = Post.objects.select_related("withheld_by").defer(*TEXTS).in_bulk(ids)
    return [posts[pk] for pk in ids if pk in posts and reader.knows_title(action, posts[pk])]


def _newest(wanted: LogFilter, reader: Reader, before: int | None) -> QuerySet[ModAction]:
    """Return a query set of the newest actions that meet the filter's conditions.

    Their ids are below `before`, unless it is None.
    """
    if wanted.group_id is None:
        return _whole(wanted, reader)
    places = LogPlace.objects.filter(group=wanted.group_id)
    if wanted.person_id is not None:
        here = places.filter(action=OuterRef("pk"))
        return _whole(wanted, reader).filter(Exists(here))
    if wanted.kind:
        places = places.filter(kind=wanted.kind)
    if wanted.by_id is not None:
        places = places.filter(by=wanted.by_id)
    if before is not None:
        places = places.filter(action__lt=before)
    ids = places.order_by("-action_id").values_list("action_id", flat=True)[
        : settings.PAGE_SIZE + 1
    ]
    # With a subquery, PostgreSQL would read all actions.
    return ModAction.objects.filter(pk__in=list(ids))


def _whole(wanted: LogFilter, reader: Reader) -> QuerySet[ModAction]:
    """Return a query for the actions that a filter selects, but ignore the filter's group.

    If the filter names a person, leaves out private actions about the person, unless the reader may
    know of them.
    """
    found = ModAction.objects.filter(parent=None)
    if wanted.kind:
        found = found.filter(kind=wanted.kind)
    if wanted.by_id is not None:
        found = found.filter(by=wanted.by_id)
    if wanted.person_id is not None:
        found = found.filter(person=wanted.person_id)
        if not (reader.powers.reads_everything or reader.id == wanted.person_id):
            found = found.filter(Q(is_private=False) | Q(group__in=reader.powers.group_ids))
    return found


def _first_parts(action_ids: Iterable[int]) -> dict[int, list[ModAction]]:
    """Return a dict from the id of each bulk action to its newest removals of a post or comment."""
    slices = [
        ModAction.objects.filter(
            pk__in=ModAction.objects.filter(parent=pk).order_by("-pk").values("pk")[:FIRST]
        ).values_list("pk", flat=True)
        for pk in action_ids
    ]
    if not slices:
        return {}
    ids = list(slices[0].union(*slices[1:]))
    found: dict[int, list[ModAction]] = {}
    for part in _related(ModAction.objects.filter(pk__in=ids)).order_by("-pk"):
        found.setdefault(part.parent_id or 0, []).append(part)
    return found


def _related(actions: QuerySet[ModAction]) -> QuerySet[ModAction]:
    return actions.select_related(*RELATED).defer(*LONG)
