"""Voids the votes that some accounts cast in a time span, so that the votes no longer count.

The worker voids the votes in steps, while people vote. Then each voter gets a notice. The log entry
of a voter's notice is a part of the action, and only the voter and moderators see it. If a
moderator undoes the action, or the part of one voter, the worker restores exactly the votes that
the action voided and that no other moderator has restored. It finds them by their ledger entries.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions.action_log import record
from forum.actions.notices import notify, notify_undone
from forum.errors import Forbidden, Invalid
from forum.identity import roles
from forum.ledger import vote_states
from forum.ledger.archiver import archive_waiting
from forum.models import ArchivedVote, Comment, Group, LedgerEntry, ModAction, Post, User
from forum.moderation.actions.bulk_state import Details, State
from forum.moderation.actions.voidable import VoidableVotes, counted_once, require_voiding
from forum.store import outbox

Kind = ModAction.Kind
PEOPLE = 50
"""The most people that one step notifies."""
NAMED = 5
"""The log names a post only if at least this many votes on it were voided."""
MOST_NAMED = 25
RELATED = ("by", "group", "person", "parent", "undone_by")
Step = Callable[[ModAction], bool]
"""A function that does part of an action. It returns True if the worker must call it again."""


def void_votes(
    people: Collection[User],
    *,
    group: Group | None,
    since: datetime,
    until: datetime,
    by: User,
    reason: str,
) -> ModAction:
    """Start voiding the votes that some accounts cast from `since` to `until`.

    If `group` is set, voids only votes on posts that the group governs, and on their comments. An
    author's vote on their own post or comment stays, and so do votes on what `by` wrote, unless
    `by` is an admin. Raises Forbidden if `by` may not void votes of one of the accounts, and
    Invalid if there is no such vote.
    """
    votes = votes_to_void(people, group=group, since=since, until=until, by=by)
    total = counted_once(votes.rows()).count()
    if not total:
        raise Invalid(_("There are no votes to void in this time span."))
    with transaction.atomic():
        action = record(
            Kind.VOID_VOTES,
            None,
            by=by,
            group=group,
            reason=reason,
            details=_first_details(votes, total),
        )
        outbox.add(VoidSync(action.pk))
    return action


def votes_to_void(
    people: Collection[User], *, group: Group | None, since: datetime, until: datetime, by: User
) -> VoidableVotes:
    """Return the votes of some accounts that `by` may void. Raises Forbidden as `void_votes`."""
    powers = require_voiding(by, people, group)
    return VoidableVotes(
        [one.pk for one in people],
        since,
        min(until, timezone.now()),
        group.pk if group else None,
        None if powers.is_admin else by.pk,
    )


def _first_details(votes: VoidableVotes, total: int) -> Details:
    return {
        "people": sorted(votes.people),
        "since": votes.since.isoformat(),
        "until": votes.until.isoformat(),
        "group": votes.group_id,
        "state": State.RUNNING,
        "total": total,
        "done": 0,
        "post": 0,
        "vote": 0,
        "notified": 0,
    }


@dataclass(frozen=True)
class VoidSync(outbox.Sync):
    """Outbox row that makes the worker do the next step of voiding or restoring votes."""

    kind = "void_votes"
    in_background = True
    action_id: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Do one step of each action, and write an outbox row if steps remain."""
        archive_waiting()
        for one in dict.fromkeys(syncs):
            if _step(one.action_id):
                outbox.write(one)


@transaction.atomic
def _step(action_id: int) -> bool:
    """Do the next step of an action, or of undoing it. Return whether steps remain."""
    action = ModAction.objects.select_related(*RELATED).locked(action_id)
    steps = VOIDING if action.undone_at is None else RESTORING
    has_more = any(step(action) for step in steps)
    action.save(update_fields=["details"])
    return has_more


# Voiding


def _void_some(action: ModAction) -> bool:
    """Void the next votes. Stop if the moderator has lost the permission.

    Takes the votes post by post, so that each post is loaded into Redis only once or twice.
    """
    details: Details = action.details
    if details["state"] != State.RUNNING:
        return False
    votes = _votes_of(action)
    if votes is None:
        details["state"] = State.STOPPED
        return False
    after = Q(post_id=details["post"], pk__gt=details["vote"]) | Q(post_id__gt=details["post"])
    rows = votes.cast().filter(after).order_by("post_id", "pk").values_list("post_id", "pk")
    some = list(rows[: vote_states.VOTES])
    if not some:
        details["state"] = State.FINISHED
        details["done"] = counted_once(_entries(action)).count()
        return False
    found = ArchivedVote.objects.filter(pk__in=[pk for _post, pk in some])
    pks = list(votes.among(found).values_list("pk", flat=True))
    source = source_of(action)
    voided = vote_states.change(pks, LedgerEntry.Kind.VOID, source, vote_states.void)
    details["done"] = min(details["done"] + len(voided), details["total"])
    details["post"], details["vote"] = some[-1]
    return True


def _votes_of(action: ModAction) -> VoidableVotes | None:
    """Return the votes that an action voids; None if the moderator may no longer void them."""
    details: Details = action.details
    by = action.by
    if by is None or details["group"] != action.group_id:
        return None
    powers = roles.powers_of(by)
    if not powers.moderates_in(action.group_id):
        return None
    since, until = map(datetime.fromisoformat, (details["since"], details["until"]))
    spared = None if powers.is_admin else by.pk
    return VoidableVotes(details["people"], since, until, action.group_id, spared)


def _notify_some(action: ModAction) -> bool:
    """Notify the next people whose votes were voided. Each gets a part of the action."""
    details: Details = action.details
    if "posts" not in details:
        details["posts"] = _most_voided(action)
    entries = counted_once(_entries(action)).filter(user_id__gt=details["notified"])
    counts = entries.order_by("user_id").values_list("user_id").annotate(Count("pk"))
    some = dict(counts[:PEOPLE])
    for person in User.objects.filter(pk__in=some).order_by("pk"):
        notify(_part(action, person, some[person.pk]))
    details["notified"] = max(some, default=details["notified"])
    return len(some) == PEOPLE


def _part(action: ModAction, person: User, votes: int) -> ModAction:
    """Log that votes of a person were voided."""
    names = ("since", "until", "group", "state")
    return record(
        Kind.VOID_VOTES,
        person,
        by=action.by,
        group=action.group,
        reason=action.reason,
        is_private=True,
        parent=action,
        details={name: action.details[name] for name in names} | {"done": votes, "total": votes},
    )


def _most_voided(action: ModAction) -> list[int]:
    """Return the ids of the posts with the most voided votes, but not of those with a few."""
    counts = _entries(action).filter(comment_id=0).values("post_id").annotate(votes=Count("pk"))
    many = counts.filter(votes__gte=NAMED).order_by("-votes", "-post_id")
    return list(many.values_list("post_id", flat=True)[:MOST_NAMED])


VOIDING: tuple[Step, ...] = (_void_some, _notify_some)


# Undoing


def require_restoring(by: User, action: ModAction) -> None:
    """Raise Forbidden if a moderator would restore votes on what they wrote. Admins may do that."""
    if roles.powers_of(by).is_admin:
        return
    posts, comments = Post.objects.filter(author=by), Comment.objects.filter(author=by)
    own = Q(post_id__in=posts.values("pk")) | Q(comment_id__in=comments.values("pk"))
    if _entries(action).filter(own).exists():
        raise Forbidden(_("You can't restore votes on your own posts and comments."))


def undo_void(action: ModAction) -> None:
    """Stop voiding votes, and make the worker restore those that the action voided.

    Raises Invalid if the action is part of another action, which was undone. The caller must have
    locked the action's row.
    """
    if action.parent and action.parent.undone_at:
        raise Invalid(_("The whole action was undone, so these votes are being restored."))
    _begin_undoing(action)
    action.save(update_fields=["details"])
    outbox.add(VoidSync(action.pk))


def _begin_undoing(action: ModAction) -> None:
    details: Details = action.details
    if details["state"] == State.RUNNING:
        details["state"] = State.STOPPED
    details |= {"to_undo": details["done"], "undone": 0, "entry": 0}


def _restore_some(action: ModAction) -> bool:
    """Restore the next votes, unless the part of their voter was undone before.

    In the order in which they were voided, so that each post is loaded only once or twice.
    """
    details: Details = action.details
    undone = action.parts.exclude(undone_at=None).values("person")
    entries = _entries(action).exclude(user_id__in=undone).filter(pk__gt=details["entry"])
    some = list(entries.order_by("pk").values_list("pk", "entry")[: vote_states.VOTES])
    if not some:
        details["undone"] = details["to_undo"]
        return False
    pks = [int(entry.partition(":")[0]) for _pk, entry in some]
    source = f"restore:{action.pk}"
    vote_states.change(pks, LedgerEntry.Kind.RESTORE, source, vote_states.restored)
    details["undone"] = min(details["undone"] + len(some), details["to_undo"])
    details["entry"] = some[-1][0]
    return True


def _undo_parts(action: ModAction) -> bool:
    """Mark the next parts as undone, and notify the people concerned."""
    some = list(action.parts.filter(undone_at=None).select_related("person", "group")[:PEOPLE])
    for part in some:
        _begin_undoing(part)
        part.details["undone"] = part.details["to_undo"]
        part.parent, part.undone_at, part.undone_by = action, action.undone_at, action.undone_by
        part.save(update_fields=["details", "undone_at", "undone_by"])
        notify_undone(part)
    return len(some) == PEOPLE


RESTORING: tuple[Step, ...] = (_restore_some, _undo_parts)


def source_of(action: ModAction) -> str:
    """Return the `generation` of the ledger entries about the votes that an action voided."""
    return f"void:{action.parent_id or action.pk}"


def _entries(action: ModAction) -> QuerySet[LedgerEntry]:
    """Return the ledger entries about the votes that an action, or its part, voided."""
    entries = LedgerEntry.objects.filter(generation=source_of(action))
    return entries.filter(user_id=action.person_id or 0) if action.parent_id else entries


def is_about(action: ModAction, person_id: int | None) -> bool:
    """Return whether an action voids votes of a person."""
    return action.kind == Kind.VOID_VOTES and person_id in action.details.get("people", ())
