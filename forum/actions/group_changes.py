"""Remembers which groups a post joined and left after publishing (see `GroupChange`)."""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from forum.actions import queue_items
from forum.errors import OtherGroup
from forum.models import Group, GroupChange, Post, User

State = GroupChange.State
Rows = list[tuple[int, str]]
"""Pairs of a group's id and its state, as a log entry saves them."""


def record_move(post: Post, groups: Collection[Group], by: User | None) -> None:
    """Remember that a post moves to exactly these groups.

    Call this before the post moves, in the same transaction. `by` is the author or a moderator, or
    None if the site moves the post. Raises OtherGroup if the author puts a post back into a group
    from which moderators took it out.
    """
    before = set(post.groups.values_list("pk", flat=True))
    after = {group.pk for group in groups}
    changed = post.group_changes.filter(group__in=before ^ after)
    former = dict(changed.values_list("group_id", "state"))
    if by is not None and by.pk == post.author_id:
        _require_not_taken_out(changed.filter(group__in=after))
        states = _states_by_author(after - before, before - after, former)
    else:
        states = dict.fromkeys(before - after, State.TAKEN_OUT) if by is not None else {}
    changed.delete()
    GroupChange.objects.bulk_create(
        GroupChange(post=post, group_id=group_id, state=state)
        for group_id, state in sorted(states.items())
    )


def _require_not_taken_out(joined: QuerySet[GroupChange]) -> None:
    taken_out = joined.filter(state=State.TAKEN_OUT).select_related("group").order_by("group__slug")
    if taken_out:
        titles = _(", ").join(change.group.title for change in taken_out)
        sentence = _("Moderators took this post out of %(groups)s. You can't put it back.")
        raise OtherGroup(sentence % {"groups": titles})


def _states_by_author(
    joined: Collection[int], left: Collection[int], former: Mapping[int, str]
) -> dict[int, State]:
    added = {group_id: State.ADDED for group_id in joined if former.get(group_id) != State.LEFT}
    return added | {
        group_id: State.LEFT for group_id in left if former.get(group_id) != State.ADDED
    }


def rows_of(post: Post) -> Rows:
    """Return the changes of a post's groups, so that `restore` can restore them."""
    return list(post.group_changes.order_by("group").values_list("group_id", "state"))


def restore(post: Post, rows: Sequence[Sequence[int | str]]) -> None:
    """Restore changes that `rows_of` returned, after the post was moved back."""
    for group_id, state in rows:
        if Group.objects.filter(pk=group_id).exists():
            post.group_changes.update_or_create(group_id=group_id, defaults={"state": state})
    queue_items.move(post)


def take_out(post: Post, group: Group) -> None:
    """Remember that moderators took a post out of a group."""
    post.group_changes.update_or_create(group=group, defaults={"state": State.TAKEN_OUT})


def left_groups(post: Post) -> list[Group]:
    """Return the groups that the author chose at publishing and left later."""
    left = post.group_changes.filter(state=State.LEFT).values("group")
    return list(Group.objects.filter(pk__in=left))


def merge_groups(source: Group, target: Group) -> None:
    """Move what is remembered about the group `source` to the group `target`.

    Ignores posts that are in `target`, and those for which `target` itself has a state.
    """
    changes = GroupChange.objects.filter(group=source).exclude(post__groups=target)
    known = GroupChange.objects.filter(group=target).values("post")
    changes.exclude(post__in=known).update(group=target)
