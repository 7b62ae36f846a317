"""Renaming and merging groups.

A renamed group keeps its posts, followers and leaderboards. The old short name of a renamed or
merged group redirects to the current one.
"""

from django.db import transaction
from django.utils.translation import gettext as _

from forum.actions import staff_log
from forum.actions.ties import GroupNameSync
from forum.admin.group_merging import syncs
from forum.errors import Invalid
from forum.models import BoardPoints, Group, GroupAlias, GroupFollow, HiddenGroup, User
from forum.queries.batches import batches
from forum.queries.groups import directory
from forum.store import outbox
from forum.store.post_sync import PostSync

AT_ONCE = 25
"""Number of a renamed group's posts to sync to Redis right after the commit. The worker syncs all
other posts.
"""


class SlugTaken(Invalid):
    """Another group has this short name already."""


class CannotMerge(Invalid):
    """Source and target are the same group, or one of them is already being merged."""


@transaction.atomic
def rename(group: Group, slug: str) -> None:
    """Give a group another short name. Raises SlugTaken if another group has the short name.

    The listings under the new name fill up gradually: the worker syncs up to 200 posts a second to
    Redis.
    """
    current = Group.objects.locked(group.pk)
    old, group.slug = current.slug, slug
    if old == slug:
        return
    if Group.objects.filter(slug=slug).exists():
        raise SlugTaken
    GroupAlias.objects.filter(slug=slug).delete()
    GroupAlias.objects.update_or_create(slug=old, defaults={"group": current})
    current.slug = slug
    current.save(update_fields=["slug"])
    BoardPoints.objects.filter(group=slug).delete()
    BoardPoints.objects.filter(group=old).update(group=slug)
    post_ids = syncs.next_posts(current.pk)
    _sync_ties(current, old)
    outbox.add(syncs.GroupBoardsSync(old, slug), *map(PostSync, post_ids[:AT_ONCE]))
    outbox.write(*map(PostSync, post_ids[AT_ONCE:]))
    transaction.on_commit(directory.forget)


@transaction.atomic
def merge(*, source: Group, target: Group, by: User) -> None:
    """Start to merge the group `source` into `target`, and record this in the staff log.

    The URL of `source` redirects to `target` at once. The worker moves posts, followers and people
    who hide the group from `source` to `target` in batches, then deletes `source`. Raises
    CannotMerge if one of the groups is already being merged, or if both are the same.
    """
    locked = Group.objects.select_for_update(no_key=True).filter(pk__in=[source.pk, target.pk])
    found = {group.pk: group for group in locked.order_by("pk")}
    if len(found) < 2 or any(group.merged_into_id for group in found.values()):
        raise CannotMerge
    source.merged_into = found[target.pk]
    source.save(update_fields=["merged_into"])
    staff_log.changed(by, [source], _("Merged into %(target)s.") % {"target": target.title})
    staff_log.changed(
        by, [target], _("Merged %(source)s into this group.") % {"source": source.title}
    )
    outbox.add(syncs.MergeSync(source.pk))
    transaction.on_commit(directory.forget)


def _sync_ties(group: Group, old: str) -> None:
    """Write outbox rows that rename the group in Redis for people who follow or hide it."""
    followers = GroupFollow.objects.filter(group=group).values_list("follower_id", flat=True)
    hiders = HiddenGroup.objects.filter(group=group).values_list("user_id", flat=True)
    for some in batches(sorted({*followers, *hiders})):
        outbox.add(GroupNameSync(group.pk, old, some))
