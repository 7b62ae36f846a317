"""Following and blocking people, following and hiding groups."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.inbox import notices
from forum.models import Block, Group, GroupFollow, HiddenGroup, User
from forum.models.user import forget_viewer
from forum.queries.batches import batches
from forum.social import ties
from forum.social.ties import Kind
from forum.sync import outbox


@transaction.atomic
def follow(follower: User, person: User, on: bool) -> bool:
    """Make one follow another, who then is not blocked, or no more; say whether that ended a block.

    Raises PermissionDenied where both are the same person.
    """
    if follower.pk == person.pk:
        raise PermissionDenied(_("You can't follow yourself."))
    ties.lock(follower.pk)
    unblocked = on and _unblock(follower, person)
    if ties.change(Kind.PERSON, follower.pk, person.pk, on) and on:
        notices.followed(follower, person)
    return unblocked


@transaction.atomic
def block(reader: User, person: User, on: bool) -> None:
    """Let nothing that a person does reach a reader's inbox, nor the reader follow them; or let it
    reach the inbox again. Raises PermissionDenied where both are the same person.
    """
    if reader.pk == person.pk:
        raise PermissionDenied(_("You cannot block yourself."))
    if on:
        follow(reader, person, on=False)
        Block.objects.get_or_create(user=reader, blocked=person, defaults={"at": timezone.now()})
        forget_viewer(reader.pk)
    else:
        _unblock(reader, person)


def _unblock(reader: User, person: User) -> bool:
    """End a block; say whether there was one. One query."""
    ended = Block.objects.filter(user=reader, blocked=person).delete()[0] > 0
    if ended:
        forget_viewer(reader.pk)
    return ended


@transaction.atomic
def follow_group(follower: User, group: Group, on: bool) -> bool:
    """Make a person follow a group, which then is not hidden, or no more; say whether that shows it
    again.
    """
    shown_again = on and ties.change(Kind.HIDDEN_GROUP, follower.pk, group.pk, False)
    ties.change(Kind.GROUP, follower.pk, group.pk, on)
    return shown_again


@transaction.atomic
def hide_group(user: User, group: Group, on: bool) -> bool:
    """Hide a group's posts from a person's lists, who then does not follow it, or no more; say
    whether that changed anything.
    """
    if on:
        ties.change(Kind.GROUP, user.pk, group.pk, False)
    return ties.change(Kind.HIDDEN_GROUP, user.pk, group.pk, on)


@transaction.atomic
def delete_group(group: Group) -> None:
    """Delete a group without posts. Its followers, and those who hide it, lose that tie."""
    followers = GroupFollow.objects.filter(group=group).values_list("follower_id", flat=True)
    hiders = HiddenGroup.objects.filter(group=group).values_list("user_id", flat=True)
    for some in batches(sorted({*followers, *hiders})):
        outbox.write(ties.GroupNameSync(group.pk, group.slug, some))
    group.delete()
