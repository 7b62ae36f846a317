"""Reads the parts of a person's record: actions, bans, counts and notes."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, F, Q

from forum.actions import names
from forum.models import Ban, Flag, ModAction, ModNote, User
from forum.models.powers import Powers
from forum.queries.keyset import newest_below

Kind = ModAction.Kind
RECENT = 1_000
"""A person's record counts at most this many actions about the person, newest first."""
MOST_NOTES = 25


@dataclass(frozen=True, slots=True)
class ActionView:
    """An action about a person, and the name of whoever took it, as shown to the reader."""

    action: ModAction
    name: str


@dataclass(frozen=True, slots=True)
class ActionPage:
    """A page of actions, newest first.

    The next page has the actions with ids below `before`, which is None on the last page.
    """

    actions: tuple[ActionView, ...]
    before: int | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers in a person's record. Actions that were undone aren't counted."""

    removals: int
    warnings: int
    bans: int
    upheld_against: int
    """The number of flags on the person, or on what they wrote, that moderators agreed with."""
    upheld: int
    """The number of flags that the person wrote and moderators agreed with."""
    rejected: int
    """The number of flags that the person wrote and moderators disagreed with."""


def own_actions(person_id: int, before: int | None) -> ActionPage:
    """Return a page of the actions about a person, as this person may see them."""
    return _page(person_id, Q(), before, names.public_name)


def actions(person: User, powers: Powers, before: int | None) -> ActionPage:
    """Return a page of the moderation actions about a person.

    `powers` are those of the moderator or auditor who reads the page. Moderators of groups don't
    see private actions outside their groups.
    """
    return _page(person.pk, _readable(powers), before, names.full_name)


def numbers(person: User) -> Numbers:
    """Return counts about a person, such as removals and bans, for moderators.

    Counts only the newest `RECENT` actions about the person.
    """
    newest = ModAction.objects.filter(person=person).order_by("-pk")
    rows = list(newest.values_list("pk", "kind", "undone_at")[:RECENT])
    kinds = Counter(kind for _pk, kind, undone_at in rows if undone_at is None)
    oldest = rows[-1][0] if rows else 0
    decided = Flag.objects.filter(item__decision__person=person, item__decision__gte=oldest)
    own = Flag.objects.filter(user=person).exclude(outcome=Flag.Outcome.OPEN).order_by()
    outcomes = dict(own.values_list("outcome").annotate(Count("pk")))
    return Numbers(
        removals=kinds[Kind.REMOVE] + kinds[Kind.REJECT],
        warnings=kinds[Kind.WARN],
        bans=kinds[Kind.BAN],
        upheld_against=decided.filter(outcome=Flag.Outcome.AGREED).count(),
        upheld=outcomes.get(Flag.Outcome.AGREED, 0),
        rejected=outcomes.get(Flag.Outcome.DISAGREED, 0),
    )


def bans(person: User) -> list[Ban]:
    """Return a person's active bans. The ban from the site comes first."""
    found = Ban.objects.active().filter(user=person).select_related("group", "action")
    return list(found.order_by(F("group__title").asc(nulls_first=True)))


def notes(person: User, powers: Powers) -> list[ModNote]:
    """Return the newest notes about a person that the reader may read.

    Moderators of a group read the notes of that group. Site moderators and auditors read all notes.
    """
    found = ModNote.objects.filter(user=person).select_related("by", "group").order_by("-pk")
    if not powers.reads_everything:
        found = found.filter(group__in=powers.group_ids)
    return list(found[:MOST_NOTES])


def _readable(powers: Powers) -> Q:
    if powers.reads_everything:
        return Q()
    return Q(is_private=False) | Q(group__in=powers.group_ids)


def _page(
    person_id: int, readable: Q, before: int | None, name: Callable[[ModAction], str]
) -> ActionPage:
    """Return a page of actions about a person. Three queries.

    Of bulk actions, only the parts about voided votes are listed. `name` is a function that returns
    the name of the moderator or rule that did an action.
    """
    about = ModAction.objects.filter(readable, person=person_id).order_by("-pk")
    if before is not None:
        about = about.filter(pk__lt=before)
    ids = about.values_list("pk", flat=True)
    size = settings.PAGE_SIZE + 1
    whole, voids = ids.filter(parent=None)[:size], ids.filter(kind=Kind.VOID_VOTES)[:size]
    actions = ModAction.objects.filter(pk__in={*whole, *voids})
    related = actions.select_related("by", "group", "rule", "post", "comment", "undone_by")
    found, next_before = newest_below(related, before)
    return ActionPage(tuple(ActionView(one, name(one)) for one in found), next_before)
