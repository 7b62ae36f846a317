"""Flags posts, comments and people, and withdraws flags.

A flag is right if moderators agree with it. Its weight depends on how many of its writer's earlier
flags were right: `(agreed + 2) / (agreed + disagreed + 4)`, which is 0.5 for a first flag. The
queue sorts items by the sum of these weights. `flagged_texts.must_hide` says when flags hide a post
or comment. It stays hidden until a moderator decides.
"""

from django.db import transaction
from django.db.models import Count, Q

from forum.actions import flagged_texts, queue_items, visibility
from forum.actions.action_log import Target
from forum.actions.visibility import Content
from forum.errors import AlreadyDecided, Gone
from forum.identity import permissions, roles
from forum.identity.throttle import subject_of, throttle
from forum.models import Comment, Flag, QueueItem, User, Withheld

MODERATOR_FACTOR = 3
"""A flag by a moderator of the target weighs this many times as much."""
AGREED, JUDGED = 2, 4
"""The numbers that `reliability` adds to a person's right flags, and to all their decided flags.

Because of them, one wrong flag makes little difference.
"""


@transaction.atomic
def flag(
    target: Target, *, by: User, kind: Flag.Kind, words: str = "", to_admins: bool = False
) -> QueueItem:
    """Flag a post, comment or person, and return its item in the moderation queue.

    If `by` already has an open flag on the target, changes that flag. If `to_admins` is True, the
    group's moderators don't see the flag. The flag may trigger automatic rules that count flags.
    New flags have a rate limit, except for the target's moderators.

    Raises Forbidden if `by` may not flag the target, and Banned if `by` is banned. Raises Gone if
    the target isn't visible. Raises AlreadyDecided if moderators have decided about an earlier flag
    by the same person and the target hasn't been edited since. Raises Throttled if `by` has flagged
    too much.
    """
    _lock(target, by)
    is_moderator = require_may_flag(target, by=by)
    if not is_moderator and flag_of(target, by) is None:
        throttle(subject_of(by), "flag")
    item = queue_items.add_flag(
        target,
        by=by,
        kind=kind,
        words=words,
        to_admins=to_admins,
        weight=reliability(by) * (MODERATOR_FACTOR if is_moderator else 1),
        from_moderator=is_moderator,
    )
    if not isinstance(target, User):
        if flagged_texts.screen_flagged(target):
            item.refresh_from_db(fields=["weight", "group_weight"])
        if not target.deleted_at and flagged_texts.must_hide(target, item):
            flagged_texts.hide(target)
    return item


def require_may_flag(target: Target, *, by: User) -> bool:
    """Check that `by` may flag a post, comment or person. Return whether `by` moderates it.

    Raises the errors of `flag`, except Throttled.
    """
    permissions.require_not_own(by, target)
    if not isinstance(target, User) and target.deleted_at:
        raise Gone(target)
    groups = None if isinstance(target, User) else _group_ids(target)
    permissions.require_not_banned(by, groups or ())
    _require_undecided(target, by)
    return roles.moderates(roles.powers_of(by), groups)


@transaction.atomic
def withdraw(target: Target, *, by: User) -> None:
    """Delete a person's open flag on a post, comment or person.

    Raises AlreadyDecided if a moderator has decided about the flag, or if flags have hidden the
    target.
    """
    _lock(target, by)
    found = flag_of(target, by)
    if found is None:
        _require_undecided(target, by)
    elif not isinstance(target, User) and target.withheld == Withheld.HIDDEN:
        raise AlreadyDecided(target.withheld_by)
    else:
        queue_items.remove_flag(found)


def reliability(person: User) -> float:
    """Return the weight of a person's flags.

    The weight grows with the share of earlier flags that moderators agreed with.
    """
    agreed, disagreed = Flag.Outcome.AGREED, Flag.Outcome.DISAGREED
    judged = person.flags.filter(outcome__in=(agreed, disagreed))
    found = judged.aggregate(right=Count("pk", filter=Q(outcome=agreed)), all=Count("pk"))
    return float((found["right"] + AGREED) / (found["all"] + JUDGED))


def flag_of(target: Target, person: User) -> Flag | None:
    """Return a person's open flag on a post, comment or person, or None."""
    flags = person.flags.filter(item__decided_at=None, **_about(target))
    return flags.select_related("item").first()


def _about(target: Target) -> dict[str, Target]:
    if isinstance(target, User):
        return {"item__person": target}
    return {"item__comment" if isinstance(target, Comment) else "item__post": target}


def _group_ids(text: Content) -> set[int]:
    return {group.pk for group in queue_items.groups_of(text)}


def _lock(target: Target, by: User) -> None:
    """Lock the target and the flagging person, so that simultaneous flags are counted exactly."""
    if isinstance(target, User):
        User.lock(by.pk, target.pk)
    else:
        User.lock(by.pk)
        visibility.lock(target)


def _require_undecided(target: Target, by: User) -> None:
    """Raise AlreadyDecided if moderators have decided about the person's earlier flag.

    Ignores flags on people, and decisions made before the target's last edit.
    """
    if isinstance(target, User):
        return
    earlier = by.flags.filter(item__decided_at__isnull=False, **_about(target))
    if target.edited_at:
        earlier = earlier.filter(item__decided_at__gt=target.edited_at)
    found = earlier.select_related("item__decision__by", "item__decision__rule").first()
    if found is not None:
        raise AlreadyDecided(found.item.decision)
