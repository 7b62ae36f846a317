"""Outbox rows with which the worker finishes renaming or merging a group."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from django.db import transaction
from django.db.models import F

from forum.actions import following, group_changes, ties
from forum.actions import posts as post_actions
from forum.actions.ties import Kind
from forum.ledger import counters
from forum.models import BoardPoints, Group, GroupAlias, GroupFollow, HiddenGroup, Post, User
from forum.queries.batches import PIECE
from forum.queries.groups import directory
from forum.store import outbox
from forum.store.post_sync import PostSync

SOME = 50
"""Maximum number of posts, followers, or people hiding the group, that one merge step moves."""


@dataclass(frozen=True)
class GroupPostsSync(outbox.Sync):
    """Syncs a renamed group's posts to Redis in batches. Skips post ids up to `after`."""

    kind = "group_posts"
    in_background = True
    group_id: int
    after: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """For each group, write outbox rows that sync the next batch of the group's posts."""
        for one in syncs:
            with transaction.atomic():
                outbox.write(*map(PostSync, next_posts(one.group_id, one.after)))


@transaction.atomic
def next_posts(group_id: int, after: int = 0) -> list[int]:
    """Increase the versions of some posts in a renamed group, and return the ids of these posts.

    These are the next posts with ids above `after`. If there may be more posts, adds an outbox row
    for the next batch.
    """
    posts = Post.objects.filter(groups=group_id, pk__gt=after).order_by("pk")
    locked = posts.select_for_update(no_key=True, of=("self",))
    ids = list(locked.values_list("pk", flat=True)[:PIECE])
    Post.objects.filter(pk__in=ids).update(version=F("version") + 1)
    if len(ids) == PIECE:
        outbox.add(GroupPostsSync(group_id, ids[-1]))
    return ids


@dataclass(frozen=True)
class GroupBoardsSync(outbox.Sync):
    """Syncs the leaderboards of a renamed group to Redis.

    First corrects the points in SQL: during the renaming, the worker may have copied votes from
    Redis under the old name.
    """

    kind = "group_boards"
    in_background = True
    old: str
    slug: str

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Move a renamed group's points to the new name in SQL, and sync its leaderboards to
        Redis.
        """
        for one in syncs:
            if not Group.objects.filter(slug=one.old).exists():
                _move_points(one.old, one.slug)
            counters.sync_group_boards(one.slug)


@transaction.atomic
def _move_points(old: str, slug: str) -> None:
    """Move leaderboard points from the short name `old` of a group to its new name `slug`."""
    for line in BoardPoints.objects.select_for_update().filter(group=old).order_by("pk"):
        key = {"day": line.day, "kind": line.kind, "subject_id": line.subject_id}
        BoardPoints.objects.get_or_create(group=slug, **key, defaults={"points": 0})
        moved = BoardPoints.objects.filter(group=slug, **key)
        moved.update(points=F("points") + line.points)
        line.delete()


@dataclass(frozen=True)
class MergeSync(outbox.Sync):
    """Merges a group into another in many steps, which may take minutes."""

    kind = "merge"
    in_background = True
    source_id: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Do the next step of each merge. If more steps remain, add an outbox row for the next one.

        The first steps move posts of the source group, the next steps move the people who follow or
        hide this group, and the last step deletes the group.
        """
        for one in dict.fromkeys(syncs):
            # Read one by one: when a merge ends, it may change the target of another merge.
            source = Group.objects.select_related("merged_into").filter(pk=one.source_id).first()
            if source and (target := source.merged_into):
                if _move_posts(source, target) or _move_people(source, target):
                    outbox.add(one)
                else:
                    _finish(source, target)


def _move_posts(source: Group, target: Group) -> bool:
    """Move some posts from the source group to the target group; return whether there were any."""
    posts = list(source.posts.order_by("pk").select_related("author")[:SOME])
    for post in posts:
        groups = {*post.groups.all(), target} - {source}
        changes = [] if target in post.groups.all() else group_changes.rows_of(post)
        post_actions.regroup(post, sorted(groups, key=lambda group: group.pk))
        of_source = [(target.pk, state) for group_id, state in changes if group_id == source.pk]
        group_changes.restore(post, of_source)
    return bool(posts)


def _move_people(source: Group, target: Group) -> bool:
    """Make some people follow or hide the target group instead of the source group.

    People who already follow or hide the target group continue to do so. Returns False if nobody
    still followed or hid the source group.
    """
    followers = list(GroupFollow.objects.filter(group=source).order_by("pk")[:SOME])
    hiders = list(HiddenGroup.objects.filter(group=source).order_by("pk")[:SOME])
    for follow in followers:
        _move_tie(Kind.GROUP, follow.follower_id, source, target)
    for hidden in hiders:
        _move_tie(Kind.HIDDEN_GROUP, hidden.user_id, source, target)
    return bool(followers or hiders)


@transaction.atomic
def _move_tie(kind: Kind, user_id: int, source: Group, target: Group) -> None:
    User.lock(user_id)
    follows = GroupFollow.objects.filter(follower_id=user_id, group=target)
    hides = HiddenGroup.objects.filter(user_id=user_id, group=target)
    if not follows.exists() and not hides.exists():
        ties.change(kind, user_id, target.pk, True)
    ties.change(kind, user_id, source.pk, False)


@transaction.atomic
def _finish(source: Group, target: Group) -> None:
    """Delete the empty source group. Its current and former names redirect to the target.

    If the source group has got new posts, continue the merge instead. The group's row is locked, so
    that nobody adds a post during the deletion.
    """
    Group.objects.select_for_update().get(pk=source.pk)
    if source.posts.exists():
        outbox.add(MergeSync(source.pk))
        return
    group_changes.merge_groups(source, target)
    GroupAlias.objects.filter(group=source).update(group=target)
    Group.objects.filter(merged_into=source).update(merged_into=target)
    slug = source.slug
    following.delete_group(source)
    GroupAlias.objects.update_or_create(slug=slug, defaults={"group": target})
    transaction.on_commit(directory.forget)
