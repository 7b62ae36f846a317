"""Does bulk actions: removes what a person wrote in a time span, or restores what flags hid.

The worker changes the posts and comments in batches, so that other requests don't wait. Each
removal or restoration has its own log entry, which is a part of the bulk action. If a moderator
undoes the bulk action, the worker stops and undoes the parts in batches.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import group_changes, profiles, queue_items, visibility
from forum.actions import posts as post_actions
from forum.actions.action_log import add_to_groups, record, target_fields
from forum.actions.notices import notify
from forum.actions.visibility import Content
from forum.errors import AlreadyDecided, Forbidden, Gone, Invalid
from forum.identity import permissions, roles
from forum.models import Comment, Group, GroupChange, ModAction, Post, QueueItem, User, Withheld
from forum.models.managers import DeletableQuerySet
from forum.moderation.actions import bulk_undo, removals, restorations
from forum.moderation.actions.bulk_state import Details, State, progress
from forum.store import outbox

Kind = ModAction.Kind
RELATED = ("by", "group", "person", "undone_by")
BULK = frozenset({Kind.REMOVE_ALL, Kind.RESTORE_FLAGGED, Kind.VOID_VOTES})
"""The kinds of bulk actions. `vote_voids` does the steps of the last one."""
COMMENTS, POSTS = 50, 10
"""The most comments and the most posts in one batch. Each post takes some 30 queries."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The removable posts and comments that a person wrote in a time span."""

    person_id: int
    group_id: int | None
    """The id of the group that the posts and comments must be in; None for the whole site."""
    since: datetime
    until: datetime

    def count(self) -> int:
        """Return the number of posts and comments that can be removed."""
        return self.posts().count() + self.comments().count()

    def posts(self) -> DeletableQuerySet[Post]:
        """Return the posts that can be removed, or at least be taken out of the group."""
        posts = Post.objects.filter(self._condition)
        return posts if self.group_id is None else posts.filter(groups=self.group_id)

    def comments(self) -> DeletableQuerySet[Comment]:
        """Return a query set of the comments that can be removed."""
        comments = Comment.objects.filter(self._condition)
        if self.group_id is None:
            return comments
        added = GroupChange.objects.filter(group=self.group_id, state=GroupChange.State.ADDED)
        in_group = comments.filter(post__groups=self.group_id)
        return in_group.exclude(post__in=added.values("post"))

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
    blanks_bio: bool = False,
) -> ModAction:
    """Start removing what a person wrote from `since` to `until`. The worker does the removals.

    If `group` is set, a post that is also in other groups stays in those groups. `blanks_bio` also
    removes the person's bio, at once. The person gets one notice. Raises Forbidden if `by` may not
    do this, and Invalid if there is nothing to remove.
    """
    roles.require_moderator_of(by, group)
    if by.pk == person.pk:
        raise Forbidden(_("“Remove everything” can't be used on your own posts and comments."))
    texts = Texts(person.pk, group.pk if group else None, since, min(until, timezone.now()))
    details = _first_details(texts)
    if blanks_bio and group:
        raise Invalid(_("Only the site's moderators can also remove the bio."))
    with transaction.atomic():
        if blanks_bio:
            User.lock(person.pk)
            details["about"] = profiles.blank_about(person, by=by)
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


def _first_details(texts: Texts) -> Details:
    """Return the details of a removal that begins. Raises Invalid if there is nothing to remove."""
    total = texts.count()
    if not total:
        raise Invalid(_("There are no posts or comments to remove in this time span."))
    return {
        "since": texts.since.isoformat(),
        "until": texts.until.isoformat(),
        "group": texts.group_id,
        "state": State.RUNNING,
        "total": total,
        "done": 0,
        "post": 0,
        "comment": 0,
    }


@transaction.atomic
def restore_flagged(text: Content, *, by: User, reason: str) -> ModAction:
    """Restore everything that is hidden by flags of the people who flagged this post or comment.

    Flags by moderators aren't affected. Restores the first batch now; the worker does the rest.
    Raises Forbidden unless `by` moderates the site and isn't the author. Raises AlreadyDecided if
    the post or comment isn't hidden, and Invalid if other flags keep everything hidden.
    """
    powers = roles.require_moderator_of(by, None)
    permissions.require_uninvolved(powers, by, text.author_id)
    visibility.lock(text)
    if text.withheld != Withheld.HIDDEN:
        raise AlreadyDecided(queue_items.last_decision(text))
    people = restorations.flaggers_of(text)
    details: Details = {"people": people, "group": None, "state": State.RUNNING}
    details |= {"done": 0, "item": 0, "total": restorations.hidden_items(people).count()}
    action = record(Kind.RESTORE_FLAGGED, None, by=by, reason=reason, details=details)
    do_batch(action.pk)
    action.refresh_from_db(fields=["details"])
    if not action.details["done"] and progress(action).state == State.FINISHED:
        raise Invalid(_("Flags by other people keep this hidden, so nothing was restored."))
    return action


@transaction.atomic
def stop(action: ModAction, *, by: User) -> None:
    """Stop a bulk action after its current batch. What it did so far isn't undone.

    Raises Forbidden if `by` may not stop the action, and Invalid if it isn't running.
    """
    roles.require_moderator_of(by, action.group)
    current = ModAction.objects.select_related(*RELATED).locked(action.pk)
    if current.kind not in BULK or progress(current).state != State.RUNNING:
        raise Invalid(_("This action has already ended."))
    current.details["state"] = State.STOPPED
    current.save(update_fields=["details"])
    action.details = current.details


def undo_everything(action: ModAction) -> None:
    """Stop a bulk action, and make the worker undo everything that the action did.

    The caller must have locked the action's row.
    """
    details: Details = action.details
    if details["state"] == State.RUNNING:
        details["state"] = State.STOPPED
    if action.person:
        profiles.restore_about(action.person, details.get("about", ""))
    details |= {"to_undo": action.parts.filter(undone_at=None).count(), "undone": 0}
    action.save(update_fields=["details"])
    outbox.add(BulkSync(action.pk))


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
    """Do the next batch of a bulk action. If the action was undone, undo a batch."""
    action = ModAction.objects.select_related(*RELATED).locked(action_id)
    state, has_more = progress(action).state, False
    if state == State.RUNNING:
        has_more = _continue(action)
    elif state == State.UNDOING:
        has_more = bulk_undo.undo_some(action)
    action.save(update_fields=["details"])
    if has_more:
        outbox.add(BulkSync(action_id))


def _continue(action: ModAction) -> bool:
    """Remove or restore the next batch of posts or comments. Return whether there may be more.

    The action stops if the moderator has lost the permission, or if the group was deleted.
    """
    details: Details = action.details
    by = action.by
    if by is None or details["group"] != action.group_id or not _may_continue(action, by):
        details["state"] = State.STOPPED
        return False
    steps = [_remove_some_posts, _remove_some_comments]
    if action.group:  # comments first: a post that leaves the group takes its comments with it
        steps.reverse()
    if action.kind == Kind.RESTORE_FLAGGED:
        steps = [restorations.restore_some]
    if any(step(action, by) for step in steps):
        return True
    details["state"] = State.FINISHED
    return False


def _remove_some_posts(action: ModAction, by: User) -> bool:
    details: Details = action.details
    posts = list(_texts(action).posts().filter(pk__gt=details["post"]).order_by("pk")[:POSTS])
    add_to_groups(action, {post.pk for post in posts})
    for post in posts:
        details["done"] += _remove_post(post, action, by)
        details["post"] = post.pk
    return bool(posts)


def _remove_some_comments(action: ModAction, by: User) -> bool:
    details: Details = action.details
    comments = _texts(action).comments().filter(pk__gt=details["comment"]).order_by("pk")
    found = dict(comments.values_list("pk", "post_id")[:COMMENTS])
    if found:
        add_to_groups(action, set(found.values()))
        details["done"] += _remove_comments(found.keys(), action, by)
        details["comment"] = max(found)
    return bool(found)


def _may_continue(action: ModAction, by: User) -> bool:
    powers = roles.powers_of(by)
    return powers.moderates_in(action.group_id)


def _texts(action: ModAction) -> Texts:
    details: Details = action.details
    since, until = map(datetime.fromisoformat, (details["since"], details["until"]))
    return Texts(action.person_id or 0, action.group_id, since, until)


def _remove_post(post: Post, action: ModAction, by: User) -> bool:
    """Remove a post, or only take it out of the action's group if it is also in other groups.

    Returns False if the post can no longer be removed.
    """
    others = [group for group in post.groups.all() if group.pk != action.group_id]
    if action.group is None or not others:
        return _remove_alone(post, action, by)
    changes = [row for row in group_changes.rows_of(post) if row[0] == action.group.pk]
    record(Kind.TAKE_OUT, post, **_as_part(action), details={"group_changes": changes})
    post_actions.regroup(post, others)
    group_changes.take_out(post, action.group)
    return True


def _remove_alone(text: Content, action: ModAction, by: User) -> bool:
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
    comments = visibility.lock_comments(comment_ids)
    visible = [comment for comment in comments if comment.deleted_at is None]
    parts = ModAction.objects.bulk_create(
        ModAction(kind=Kind.REMOVE, **target_fields(comment), **_as_part(action))
        for comment in visible
    )
    actions = {part.comment_id or 0: part for part in parts}
    if visible:
        visibility.withhold_comments(visible, Withheld.REMOVED, actions)
    flagged = QueueItem.objects.filter(comment__in=actions, decided_at=None)
    for item in flagged.select_related("comment"):
        if item.comment:
            queue_items.decide(item.comment, actions[item.comment.pk], agreed=True)
    waiting = Comment.objects.filter(pk__in=set(comment_ids) - actions.keys())
    alone = waiting.select_related("author", "post__author").order_by("pk")
    return len(visible) + sum(_remove_alone(one, action, by) for one in alone)


def _as_part(action: ModAction) -> dict[str, Any]:
    """Return the values that the log entry of a single removal copies from its bulk action."""
    names = ("by", "group", "reason", "is_private")
    return {name: getattr(action, name) for name in names} | {"parent": action}
