"""Following and blocking people, following and hiding groups."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.bonds import bonds
from forum.bonds.bonds import Kind
from forum.inbox import notices
from forum.models import Block, Group, User


@transaction.atomic
def follow(follower: User, person: User, on: bool) -> bool:
    """Make one follow another, or no more; say whether that changed anything.

    Raises PermissionDenied where both are the same person.
    """
    if follower.pk == person.pk:
        raise PermissionDenied(_("You can't follow yourself."))
    changed = bonds.change(Kind.PERSON, follower.pk, person.pk, on)
    if changed and on:
        notices.followed(follower, person)
    return changed


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
    else:
        Block.objects.filter(user=reader, blocked=person).delete()


@transaction.atomic
def follow_group(follower: User, group: Group, on: bool) -> bool:
    """Make a person follow a group, which then is not hidden, or no more; say whether that changed
    anything.
    """
    if on:
        bonds.change(Kind.HIDDEN_GROUP, follower.pk, group.pk, False)
    return bonds.change(Kind.GROUP, follower.pk, group.pk, on)


@transaction.atomic
def hide_group(user: User, group: Group, on: bool) -> bool:
    """Hide a group's posts from a person's lists, who then does not follow it, or no more; say
    whether that changed anything.
    """
    if on:
        bonds.change(Kind.GROUP, user.pk, group.pk, False)
    return bonds.change(Kind.HIDDEN_GROUP, user.pk, group.pk, on)
