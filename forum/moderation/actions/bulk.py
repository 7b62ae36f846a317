"""Removes everything that a person wrote in a time span, as one bulk action.

The worker removes the posts and comments in batches, so that other requests don't wait. Each
removal has its own log entry, which is a part of the bulk action. If a moderator undoes the bulk
action, the worker stops removing and undoes the parts in batches.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Self

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from forum import permissions
from forum.content import comment_batches, post_service
from forum.content.visibility import Text
from forum.errors import AlreadyDecided, Forbidden, Gone, Invalid
from forum.models import Comment, Group, ModAction, Post, QueueItem, User, Withheld
from forum.models.managers import DeletableQuerySet
from forum.moderation.actions import removals
from forum.screening import queue_items
from forum.screening.action_log import add_to_groups, record, target_fields
from forum.screening.notices import notify
from forum.sync import outbox

Kind = ModAction.Kind
COMMENTS, POSTS = 50, 10
"""The most comments and the most posts in one batch. Each post takes some 30 queries."""
PARTS = 50
"""The most parts of a bulk action that one batch undoes."""
NEWEST = 2**62
"""An id higher than the id of any part."""


class State(StrEnum):
    """The states of a bulk action."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    UNDOING = "undoing"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many posts and comments a bulk action has removed, or restored if it is being undone."""

    state: State
    done: int
    total: int

    @property
    def is_working(self) -> bool:
        """Whether the worker is removing or restoring posts and comments for this action."""
        return self.state in {State.RUNNING, State.UNDOING}


@dataclass(frozen=True, slots=True)
class Texts:
    """The removable posts and comments that a person wrote in a time span."""

    person_id: int
    group_id: int | None
    """The id of the group that the posts and comments must be in; None for the whole site."""
    since: datetime
    until: datetime

    def count(self) -> int:
        """Return the number of posts and comments that can be removed. Two queries."""
        return self.posts().count() + self.comments().count()

    def posts(self) -> DeletableQuerySet[Post]:
        """Return the posts that can be removed. No query."""
        posts = Post.objects.filter(self._condition)
        return posts if self.group_id is None else posts.filter(groups=self.group_id)

    def comments(self) -> DeletableQuerySet[Comment]:
        """Return a query set of the comments that can be removed. No query."""
        comments = Comment.objects.filter(self._condition)
        return comments if self.group_id is None else comments.filter(post__groups=self.group_id)

    @property
    def _condition(self) -> Q:
        waiting = Q(withheld__in=(Withheld.HELD, Withheld.HIDDEN))
        span = Q(created_at__gte=self.since, created_at__lte=self.until)
        return Q(author=self.person_id) & span & (Q(deleted_at=None) | waiting)


def remove_everything(
    person: User,
    *,
    group: Group | None,
    since: datetime,
    until: datetime,
    by: User,
    reason: str,
    is_private: bool = False,
) -> ModAction:
    """Start removing what a person wrote from `since` to `until`. The worker does the removals.

    If `group` is set, a post that is also in other groups stays in those groups. The person gets
    one notice. Raises Forbidden if `by` may not do this, and Invalid if there is nothing to remove.
    """
    permissions.require_moderator_of(by, group)
    if by.pk == person.pk:
        raise Forbidden(_("“Remove everything” can't be used on your own posts and comments."))
    texts = Texts(person.pk, group.pk if group else None, since, min(until, timezone.now()))
    total = texts.count()
    if not total:
        raise Invalid(_("There are no posts or comments to remove in this time span."))
    details = {
        "since": texts.since.isoformat(),
        "until": texts.until.isoformat(),
        "group": texts.group_id,
        "state": State.RUNNING,
        "total": total,
        **dict.fromkeys(("done", "post", "comment"), 0),
    }
    with transaction.atomic():
        action = record(
            Kind.REMOVE_ALL,
            person,
            by=by,
            group=group,
            reason=reason,
            is_private=is_private,
            details=details,
        )
        notify(action)
        outbox.add(BulkSync(action.pk))
    return action


@transaction.atomic
def stop(action: ModAction, *, by: User) -> None:
    """Stop a bulk action after its current batch. What was removed so far stays removed.

    Raises Forbidden if `by` may not stop the action, and Invalid if it isn't running.
    """
    permissions.require_moderator_of(by, action.group)
    current = _locked(action.pk)
    if current.kind != Kind.REMOVE_ALL or progress(current).state != State.RUNNING:
        raise Invalid(_("The removal has already ended."))
    current.details["state"] = State.STOPPED
    current.save(update_fields=["details"])
    action.details = current.details


def undo_everything(action: ModAction) -> None:
    """Stop a bulk action, and make the worker restore everything that the action removed.

    The caller must have locked the action's row.
    """
    details = action.details
    if details["state"] == State.RUNNING:
        details["state"] = State.STOPPED
    details |= {"to_undo": action.parts.filter(undone_at=None).count(), "undone": 0}
    action.save(update_fields=["details"])
    outbox.add(BulkSync(action.pk))


def undo_taking_out(part: ModAction) -> None:
    """Put a post back into the group from which a bulk action removed it."""
    if part.post and part.group:
        groups = {*part.post.groups.all(), part.group}
        post_service.regroup(part.post, sorted(groups, key=lambda group: group.pk))


UNDO_PART: dict[str, Callable[[ModAction], None]] = {
    Kind.REMOVE: removals.undo_removal,
    Kind.REJECT: removals.undo_removal,
    Kind.TAKE_OUT: undo_taking_out,
}
"""For each kind of part of a bulk action, the function that undoes the part."""


def progress(action: ModAction) -> Progress:
    """Return the progress of a bulk action. No query."""
    details = action.details
    if action.undone_at is None:
        return Progress(State(details["state"]), details["done"], details["total"])
    undone, total = details["undone"], details["to_undo"]
    return Progress(State.UNDONE if undone >= total else State.UNDOING, undone, total)


@dataclass(frozen=True)
class BulkSync(outbox.Sync):
    """Outbox row that makes the worker do the next batch of a bulk action."""

    kind = "bulk_action"
    in_background = True
    delay = timedelta(milliseconds=500)
    action_id: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Do the next batch of each bulk action, and add an outbox row if work remains."""
        for one in dict.fromkeys(syncs):
            do_batch(one.action_id)


@transaction.atomic
def do_batch(action_id: int) -> None:
    """Remove the next batch of posts or comments. If the action was undone, restore a batch."""
    action = _locked(action_id)
    state, has_more = progress(action).state, False
    if state == State.RUNNING:
        has_more = _remove_some(action)
    elif state == State.UNDOING:
        has_more = _undo_some(action)
    action.save(update_fields=["details"])
    if has_more:
        outbox.add(BulkSync(action_id))


def _locked(action_id: int) -> ModAction:
    actions = ModAction.objects.select_for_update(no_key=True, of=("self",))
    return actions.select_related("by", "group", "person", "undone_by").get(pk=action_id)


def _remove_some(action: ModAction) -> bool:
    """Remove the next batch of posts or comments. Return whether there may be more.

    The action stops if the moderator has lost the permission, or if the group was deleted.
    """
    details, by = action.details, action.by
    if by is None or details["group"] != action.group_id or not _may_continue(action, by):
        details["state"] = State.STOPPED
        return False
    steps = [_remove_some_posts, _remove_some_comments]
    if action.group:  # comments first: a post that leaves the group takes its comments with it
        steps.reverse()
    if any(step(action, by) for step in steps):
        return True
    details["state"] = State.FINISHED
    return False


def _remove_some_posts(action: ModAction, by: User) -> bool:
    details = action.details
    posts = list(_texts(action).posts().filter(pk__gt=details["post"]).order_by("pk")[:POSTS])
    _list_in_groups(action, {post.pk for post in posts})
    for post in posts:
        details["done"] += _remove_post(post, action, by)
        details["post"] = post.pk
    return bool(posts)


def _list_in_groups(action: ModAction, post_ids: Collection[int]) -> None:
    """Add a site-wide action to the logs of the groups that contain these posts. Two queries."""
    if action.group is None:
        add_to_groups(action, post_ids)


def _remove_some_comments(action: ModAction, by: User) -> bool:
    details = action.details
    comments = _texts(action).comments().filter(pk__gt=details["comment"]).order_by("pk")
    found = dict(comments.values_list("pk", "post_id")[:COMMENTS])
    if found:
        _list_in_groups(action, set(found.values()))
        details["done"] += _remove_comments(found.keys(), action, by)
        details["comment"] = max(found)
    return bool(found)


def _may_continue(action: ModAction, by: User) -> bool:
    powers = permissions.powers_of(by)
    return powers.moderates_in(action.group_id)


def _texts(action: ModAction) -> Texts:
    since, until = _time(action.details, "since"), _time(action.details, "until")
    return Texts(action.person_id or 0, action.group_id, since, until)


def _time(details: dict[str, Any], name: str) -> datetime:
    return parse_datetime(details[name]) or timezone.now()


def _remove_post(post: Post, action: ModAction, by: User) -> bool:
    """Remove a post, or only take it out of the action's group if it is also in other groups.

    Returns False if the post can no longer be removed.
    """
    others = [group for group in post.groups.all() if group.pk != action.group_id]
    if action.group is None or not others:
        return _remove_alone(post, action, by)
    record(Kind.TAKE_OUT, post, **_as_part(action))
    post_service.regroup(post, others)
    return True


def _remove_alone(text: Text, action: ModAction, by: User) -> bool:
    """Remove one post or comment. Return False if it can no longer be removed."""
    try:
        part = removals.remove(
            text, by=by, reason=action.reason, is_private=action.is_private, parent=action
        )
    except (AlreadyDecided, Forbidden, Gone):
        return False
    if part.group_id != action.group_id:
        part.group = action.group
        part.save(update_fields=["group"])
    return True


def _remove_comments(comment_ids: Collection[int], action: ModAction, by: User) -> int:
    """Remove comments, and return the number of removed comments.

    All visible comments are removed together, in 13 queries. Other comments are removed one by one.
    """
    shown = [one for one in comment_batches.lock(comment_ids) if one.deleted_at is None]
    parts = ModAction.objects.bulk_create(
        ModAction(
            kind=Kind.REMOVE,
            details={"accepted": True} if one.post.accepted_id == one.pk else {},
            **target_fields(one),
            **_as_part(action),
        )
        for one in shown
    )
    actions = {part.comment_id or 0: part for part in parts}
    if shown:
        comment_batches.withhold(shown, actions)
    flagged = QueueItem.objects.filter(comment__in=actions, decided_at=None)
    for item in flagged.select_related("comment"):
        if item.comment:
            queue_items.decide(item.comment, actions[item.comment.pk], agreed=True)
    waiting = Comment.objects.filter(pk__in=set(comment_ids) - actions.keys())
    alone = waiting.select_related("author", "post__author").order_by("pk")
    return len(shown) + sum(_remove_alone(one, action, by) for one in alone)


def _as_part(action: ModAction) -> dict[str, Any]:
    """Return the values that the log entry of a single removal copies from its bulk action."""
    names = ("by", "group", "reason", "is_private")
    return {name: getattr(action, name) for name in names} | {"parent": action}


def _undo_some(action: ModAction) -> bool:
    """Undo the next batch of removals, latest first. Return whether there may be more."""
    details = action.details
    parts = ModAction.objects.select_for_update(no_key=True, of=("self",)).filter(parent=action)
    parts = parts.filter(undone_at=None, pk__lt=details.get("part", NEWEST)).order_by("-pk")
    some = list(parts.select_related("group", "post__author", "comment__post")[:PARTS])
    released = _release_comments(some)
    for part in some:
        if part.comment_id not in released:
            UNDO_PART[part.kind](part)
    pks = [part.pk for part in some]
    done = ModAction.objects.filter(pk__in=pks)
    done.update(undone_at=timezone.now(), undone_by=action.undone_by)
    for part in done.filter(pk__in=QueueItem.objects.filter(decision__in=pks).values("decision")):
        queue_items.reopen(part)
    details["undone"] += len(some)
    if len(some) < PARTS:
        details["undone"] = details["to_undo"]
        return False
    details["part"] = pks[-1]
    return True


def _release_comments(parts: Iterable[ModAction]) -> set[int]:
    """Show removed comments again if they were visible before their removal.

    Returns the ids of the comments that are shown again. Ten queries.
    """
    plain = {part.comment_id: part for part in parts if part.comment_id and _was_shown(part)}
    removed = [one for one in comment_batches.lock(plain) if one.withheld_by_id == plain[one.pk].pk]
    accepted = {one.pk for one in removed if plain[one.pk].details.get("accepted")}
    if removed:
        comment_batches.release(removed, accepted)
    return {one.pk for one in removed}


def _was_shown(part: ModAction) -> bool:
    return part.kind == Kind.REMOVE and "withheld" not in part.details
