"""Reads pages of the moderation queue, with everything that moderators need to decide."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db.models import Count, Prefetch, Q

from forum.actions.names import full_name
from forum.identity import roles
from forum.models import (
    Comment,
    Flag,
    Group,
    ModAction,
    ModNote,
    Post,
    QueueItem,
    QueuePlace,
    User,
    Withheld,
)
from forum.models.powers import Powers
from forum.moderation.actions import applications
from forum.queries.queue import QueueCursor, QueueFilter, QueueIds
from forum.queries.queue import page as page_of_ids

FLAGS = 10
"""The most flags to show for an item, heaviest first."""
Kind = ModAction.Kind
RECORD = (Kind.REMOVE, Kind.REJECT, Kind.WARN, Kind.BAN)
"""The kinds of earlier actions about a person that the queue counts."""


@dataclass(frozen=True, slots=True)
class FlagRow:
    """A flag, and the record of the person who wrote it."""

    flag: Flag
    agreed: int
    """The number of the person's flags with which moderators agreed."""
    disagreed: int


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An item of the queue, as one moderator sees it."""

    item: QueueItem
    author: User
    """The author of the post or comment. For an item about a person, the person."""
    flags: tuple[FlagRow, ...]
    more_flags: bool
    record: tuple[tuple[str, int], ...]
    """Earlier actions about the author: for each kind, a label and the number of actions."""
    notes: int
    """The number of notes about the author that the moderator can read."""
    may_decide: bool
    may_restore_flagged: bool
    """Whether the viewer may restore everything that is hidden by flags of the same people."""
    is_own: bool
    """Whether it is about the viewer's own account, post or comment. Always False for admins."""

    @property
    def text(self) -> Post | Comment | None:
        """The post or comment that the item is about, or None for a person."""
        return self.item.comment or self.item.post

    @property
    def post(self) -> Post | None:
        """The post that the item is about; the comment's post for a comment; None for a person."""
        return self.item.comment.post if self.item.comment else self.item.post

    @property
    def groups(self) -> list[Group]:
        return [place.group for place in self.item.places.all()]

    @property
    def is_deleted(self) -> bool:
        """True if the author deleted the text, or if a comment's post is no longer visible."""
        text, post = self.text, self.post
        gone = bool(text and text.deleted_at and not text.withheld)
        return gone or bool(self.item.comment and post and post.deleted_at)

    @property
    def decisions(self) -> tuple[Kind, ...]:
        """The decisions that the viewer can make now. The page has a button for each."""
        if not self.may_decide or (self.is_own and self.item.person):
            return ()
        if self.item.kind == QueueItem.Kind.APPLICATION:
            return applications.DECISIONS
        post, removable = self.post, self.text is not None and not self.is_deleted
        lockable = removable and post is not None and not (post.locked or post.deleted_at)
        judgement = Kind.APPROVE if self.withheld == Withheld.HELD else Kind.DISMISS
        possible = {
            judgement: not self.is_own,
            Kind.RESTORE_FLAGGED: removable and self.may_restore_flagged,
            Kind.REMOVE: removable,
            Kind.LOCK: lockable,
        }
        return tuple(decision for decision, is_possible in possible.items() if is_possible)

    @property
    def withheld(self) -> str:
        """The reason why moderation hides the post or comment, such as "held".

        "" if moderation doesn't hide the post or comment.
        """
        return self.text.withheld if self.text else ""

    @property
    def held_by(self) -> str:
        """The name of the rule, or of the site, that held the post or comment for approval.

        "" if the post or comment isn't held.
        """
        action = self.text.withheld_by if self.text else None
        return full_name(action) if action and self.withheld == Withheld.HELD else ""


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page of the queue. The next page starts after `last`, which is None on the last page."""

    entries: tuple[QueueEntry, ...]
    last: QueueCursor | None

    @property
    def has_weights(self) -> bool:
        """Return whether the page shows the weight of an item."""
        return any(entry.item.weight for entry in self.entries)


def page(
    wanted: QueueFilter, powers: Powers, viewer_id: int, after: QueueCursor | None = None
) -> QueuePage:
    """Return a page of the queue as the moderator or auditor sees it."""
    found: QueueIds = page_of_ids(wanted, after)
    return QueuePage(entries(found.ids, powers, viewer_id), found.last)


def may_read(item_id: int, powers: Powers, least: float) -> bool:
    """Return whether a person with these powers may see an item."""
    if powers.reads_everything:
        return True
    shown = ~Q(kind=QueueItem.Kind.FLAGGED) | Q(weight__gte=least)
    shown |= Q(decided_at__isnull=False, weight__gt=0)
    places = QueuePlace.objects.filter(shown, item=item_id, group__in=powers.group_ids)
    return places.exists()


def entries(ids: Sequence[int], powers: Powers, viewer_id: int) -> tuple[QueueEntry, ...]:
    """Return the queue entries with these ids, in the given order."""
    flags = Flag.objects.select_related("user").order_by("-weight", "-pk")
    if not powers.reads_everything:
        flags = flags.filter(to_admins=False)
    items = QueueItem.objects.select_related(
        *("post__author", "comment__author", "comment__post", "person__application"),
        *("post__withheld_by__rule", "comment__withheld_by__rule"),
        *("decision__by", "decision__rule", "decision__group"),
    )
    items = items.defer(
        *("post__body", "comment__body", "comment__post__body"),
        *("post__search_text", "comment__search_text", "comment__post__search_text"),
    )
    items = items.prefetch_related(
        Prefetch("places", QueuePlace.objects.select_related("group").order_by("group__title")),
        Prefetch("flags", flags[: FLAGS + 1], to_attr="some_flags"),
    )
    found = {item.pk: item for item in items.filter(pk__in=ids)}
    shown = [found[pk] for pk in ids if pk in found]
    authors = {_author(item).pk for item in shown}
    records, notes, outcomes = _records(authors), _notes(authors, powers), _flag_outcomes(shown)
    return tuple(_entry(item, powers, viewer_id, records, notes, outcomes) for item in shown)


def _author(item: QueueItem) -> User:
    target = item.target
    return target if isinstance(target, User) else target.author


def _entry(
    item: QueueItem,
    powers: Powers,
    viewer_id: int,
    records: Mapping[int, tuple[tuple[str, int], ...]],
    notes: Mapping[int, int],
    outcomes: Mapping[tuple[int | None, str], int],
) -> QueueEntry:
    author = _author(item)
    flags: list[Flag] = item.some_flags  # type: ignore[attr-defined]
    rows = (
        FlagRow(
            flag,
            agreed=outcomes.get((flag.user_id, Flag.Outcome.AGREED), 0),
            disagreed=outcomes.get((flag.user_id, Flag.Outcome.DISAGREED), 0),
        )
        for flag in flags[:FLAGS]
    )
    is_own = powers.is_involved(viewer_id, author.pk)
    text = item.comment or item.post
    is_hidden = text is not None and text.withheld == Withheld.HIDDEN
    group_ids = None if item.person_id else {place.group_id for place in item.places.all()}
    return QueueEntry(
        item,
        author,
        tuple(rows),
        len(flags) > FLAGS,
        records.get(author.pk, ()),
        notes.get(author.pk, 0),
        may_decide=item.decided_at is None and roles.moderates(powers, group_ids),
        may_restore_flagged=powers.is_site_moderator and is_hidden and not is_own,
        is_own=is_own,
    )


def _records(person_ids: set[int]) -> dict[int, tuple[tuple[str, int], ...]]:
    """Count earlier actions about each of these people, by kind."""
    counted: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    actions = ModAction.objects.filter(person__in=person_ids, kind__in=RECORD, undone_at=None)
    rows = actions.values_list("person_id", "kind").annotate(number=Count("pk")).order_by("kind")
    for person_id, kind, number in rows:
        counted[person_id].append((str(Kind(kind).label), number))
    return {person_id: tuple(numbers) for person_id, numbers in counted.items()}


def _flag_outcomes(items: Sequence[QueueItem]) -> dict[tuple[int | None, str], int]:
    """Count the decided flags of the people who flagged these items, by person and outcome."""
    flags: Iterable[Flag] = chain.from_iterable(
        item.some_flags  # type: ignore[attr-defined]
        for item in items
    )
    user_ids = {flag.user_id for flag in flags} - {None}
    decided = Flag.objects.filter(user__in=user_ids).exclude(outcome=Flag.Outcome.OPEN)
    counted = decided.values_list("user_id", "outcome").annotate(number=Count("pk")).order_by()
    return {(user_id, outcome): number for user_id, outcome, number in counted}


def _notes(person_ids: set[int], powers: Powers) -> dict[int, int]:
    """For each person, count the notes that a moderator with `powers` can read."""
    notes = ModNote.objects.filter(user__in=person_ids)
    if not powers.reads_everything:
        notes = notes.filter(group__in=powers.group_ids)
    return dict(notes.values_list("user_id").annotate(number=Count("pk")).order_by())
