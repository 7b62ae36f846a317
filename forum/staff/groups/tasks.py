"""Worker tasks that finish renaming or merging a group. Each may be repeated."""

from django.db import transaction
from django.db.models import F
from django_tasks import task

from forum.content import post_service
from forum.gateway.service import get_voting_service
from forum.ledger import counters
from forum.models import BoardPoints, Group, GroupAlias, GroupFollow, HiddenGroup, OutboxItem, Post
from forum.queries.batches import PIECE
from forum.queries.groups import directory
from forum.social import following, ties
from forum.social.ties import Kind
from forum.sync import tasks

SOME = 50
"""Posts, or people, that one step of a merge moves."""
AFTER_MAIL = -10
"""Priority of a merge, which may take many minutes: mail and other errands go first."""


@task(queue_name=tasks.QUEUE, priority=tasks.PRIORITY)
def rename_ties(group_id: int, old: str, user_ids: list[int]) -> None:
    """Rename a group in the lists of people who followed or hid it. Five round trips a person."""
    group = Group.objects.filter(pk=group_id).first()
    taken = Group.objects.filter(slug=old).exists()
    for user_id in user_ids:
        if group is not None:
            ties.settle(Kind.GROUP, user_id, group_id)
            ties.settle(Kind.HIDDEN_GROUP, user_id, group_id)
        if not taken:
            get_voting_service().follows.set_group(user_id, old, None)
            get_voting_service().lists.hide_group(user_id, old, False)


@transaction.atomic
def sync_posts(group_id: int, after: int = 0) -> list[int]:
    """Write outbox rows for some posts of a renamed group, by id; return their ids.

    The worker goes on with the next ones, so that no transaction grows with the group.
    """
    posts = Post.objects.filter(groups=group_id, pk__gt=after).order_by("pk")
    locked = posts.select_for_update(no_key=True, of=("self",))
    ids = list(locked.values_list("pk", flat=True)[:PIECE])
    Post.objects.filter(pk__in=ids).update(version=F("version") + 1)
    OutboxItem.objects.bulk_create(OutboxItem(post_id=pk) for pk in ids)
    if len(ids) == PIECE:
        sync_more_posts.enqueue(group_id, ids[-1])
    return ids


@task(queue_name=tasks.QUEUE, priority=tasks.PRIORITY)
def sync_more_posts(group_id: int, after: int) -> None:
    """Write outbox rows for the next posts of a renamed group."""
    sync_posts(group_id, after)


@task(queue_name=tasks.QUEUE, priority=tasks.PRIORITY)
def sync_boards(old: str, slug: str) -> None:
    """Write the leaderboards of a renamed group to Redis.

    Votes that were archived in the moment of the renaming may have been counted for the old name.
    """
    if not Group.objects.filter(slug=old).exists():
        _move_points(old, slug)
    counters.tell_group(slug)


@transaction.atomic
def _move_points(old: str, slug: str) -> None:
    """Add what the boards of a name have to those of another."""
    for line in BoardPoints.objects.select_for_update().filter(group=old).order_by("pk"):
        spot = {"day": line.day, "kind": line.kind, "subject_id": line.subject_id}
        BoardPoints.objects.get_or_create(group=slug, **spot, defaults={"points": 0})
        there = BoardPoints.objects.filter(group=slug, **spot)
        there.update(points=F("points") + line.points)
        line.delete()


@task(queue_name=tasks.QUEUE, priority=AFTER_MAIL)
def merge_some(source_id: int) -> None:
    """Move some posts or people of a group that is being merged, and go on with the next ones."""
    source = Group.objects.select_related("merged_into").filter(pk=source_id).first()
    if source is None or source.merged_into is None:
        return  # a step that was repeated after the last one
    if _move_posts(source, source.merged_into) or _move_people(source, source.merged_into):
        merge_some.enqueue(source_id)
    else:
        _finish(source, source.merged_into)


def _move_posts(source: Group, target: Group) -> bool:
    """Move some posts to the target; say whether there were any."""
    posts = list(source.posts.order_by("pk").select_related("author")[:SOME])
    for post in posts:
        groups = {*post.groups.all(), target} - {source}
        post_service.regroup(post, sorted(groups, key=lambda group: group.pk))
    return bool(posts)


def _move_people(source: Group, target: Group) -> bool:
    """Let some who follow or hide the source do so to the target, unless they chose already."""
    followers = list(GroupFollow.objects.filter(group=source).order_by("pk")[:SOME])
    hiders = list(HiddenGroup.objects.filter(group=source).order_by("pk")[:SOME])
    for follow in followers:
        _move_tie(Kind.GROUP, follow.follower_id, source, target)
    for hidden in hiders:
        _move_tie(Kind.HIDDEN_GROUP, hidden.user_id, source, target)
    return bool(followers or hiders)


@transaction.atomic
def _move_tie(kind: Kind, user_id: int, source: Group, target: Group) -> None:
    ties.lock(user_id)
    follows = GroupFollow.objects.filter(follower_id=user_id, group=target)
    hides = HiddenGroup.objects.filter(user_id=user_id, group=target)
    if not follows.exists() and not hides.exists():
        ties.change(kind, user_id, target.pk, True)
    ties.change(kind, user_id, source.pk, False)


@transaction.atomic
def _finish(source: Group, target: Group) -> None:
    """Delete the emptied group; its names, old ones too, lead to the target.

    While its row is locked nobody puts a post in it; where somebody just did, the merge goes on.
    """
    Group.objects.select_for_update().get(pk=source.pk)
    if source.posts.exists():
        merge_some.enqueue(source.pk)
        return
    GroupAlias.objects.filter(group=source).update(group=target)
    Group.objects.filter(merged_into=source).update(merged_into=target)
    slug = source.slug
    following.delete_group(source)
    GroupAlias.objects.update_or_create(slug=slug, defaults={"group": target})
    transaction.on_commit(directory.forget)
