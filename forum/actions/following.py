"""Follows and blocks people; follows and hides groups."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import notifications, ties
from forum.actions.ties import Kind
from forum.errors import Forbidden
from forum.identity import permissions
from forum.identity.throttle import subject_of, throttle
from forum.models import Block, Group, GroupFollow, HiddenGroup, User
from forum.models.user import forget_viewer
from forum.queries.batches import batches
from forum.store import outbox


def follow(follower: User, followed: User | Group, *, on: bool) -> bool:
    """Follow or unfollow a person or group.

    Return whether following ended a block or made a hidden group visible again.

    Raises Banned if the follower is banned, and Forbidden if people follow themselves. Raises
    Throttled if the person is too fast, and StoreUnavailable if Redis is unavailable.
    """
    if on:
        permissions.require_not_banned(follower)
    throttle(subject_of(follower), "follow")
    return set_follow(follower, followed, on=on)


@transaction.atomic
def set_follow(follower: User, followed: User | Group, *, on: bool) -> bool:
    """Follow or unfollow a person or group, without checking for bans and rate limits.

    Returns whether following ended a block or made a hidden group visible again. Raises Forbidden
    if people follow themselves.
    """
    if isinstance(followed, Group):
        shown_again = on and ties.change(Kind.HIDDEN_GROUP, follower.pk, followed.pk, False)
        ties.change(Kind.GROUP, follower.pk, followed.pk, on)
        return shown_again
    if follower.pk == followed.pk:
        raise Forbidden(_("You can't follow yourself."))
    User.lock(follower.pk)
    unblocked = on and _unblock(follower, followed)
    if ties.change(Kind.PERSON, follower.pk, followed.pk, on):
        notify = notifications.followed if on else notifications.unfollowed
        notify(follower, followed)
    return unblocked


@transaction.atomic
def block(reader: User, person: User, on: bool) -> None:
    """Block or unblock a person for a reader.

    A reader who blocks a person stops following the person, and gets no notifications from them.
    Raises Forbidden if people block themselves.
    """
    if reader.pk == person.pk:
        raise Forbidden(_("You can't block yourself."))
    if on:
        set_follow(reader, person, on=False)
        Block.objects.get_or_create(user=reader, blocked=person, defaults={"at": timezone.now()})
        forget_viewer(reader.pk)
    else:
        _unblock(reader, person)


def _unblock(reader: User, person: User) -> bool:
    """Unblock a person; return whether the person was blocked."""
    ended = Block.objects.filter(user=reader, blocked=person).delete()[0] > 0
    if ended:
        forget_viewer(reader.pk)
    return ended


@transaction.atomic
def hide_group(user: User, group: Group, on: bool) -> bool:
    """Hide a group's posts from a person's listings, or show them again.

    Hiding a group also unfollows the group. Return whether anything changed.
    """
    if on:
        ties.change(Kind.GROUP, user.pk, group.pk, False)
    return ties.change(Kind.HIDDEN_GROUP, user.pk, group.pk, on)


@transaction.atomic
def delete_group(group: Group) -> None:
    """Delete a group that has no posts. Nobody follows or hides the group afterwards."""
    followers = GroupFollow.objects.filter(group=group).values_list("follower_id", flat=True)
    hiders = HiddenGroup.objects.filter(group=group).values_list("user_id", flat=True)
    for some in batches(sorted({*followers, *hiders})):
        outbox.write(ties.GroupNameSync(group.pk, group.slug, some))
    group.delete()
