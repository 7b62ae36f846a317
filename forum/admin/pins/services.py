"""Pinning and unpinning posts.

Listings from this process show a change at once, and those from other processes within two
seconds.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import staff_log
from forum.errors import Invalid
from forum.models import Group, Pin, Post, User
from forum.queries.pins import pins

MOST = 3
"""Maximum number of posts pinned in one listing, so that the listing still shows a ranking."""


class NotListed(Invalid):
    """The post is deleted, or is not in the group in which it should be pinned."""


class TooManyPins(Invalid):
    """The front page or group already has the maximum number of pinned posts."""


@transaction.atomic
def pin(*, post: Post, group: Group | None, until: datetime | None, by: User) -> Pin:
    """Pin a post to one of its groups, or to the front page if `group` is None.

    If the post is pinned there already, only the end of the pin changes. The staff log records the
    action. Raises NotListed if the post is deleted or not in the group, and TooManyPins if `MOST`
    other posts are already pinned there.
    """
    current = Post.objects.locked(post.pk)
    if current.deleted_at or (group and not current.groups.filter(pk=group.pk).exists()):
        raise NotListed
    lasting = Q(until=None) | Q(until__gt=timezone.now())
    others = Pin.objects.filter(lasting, group=group, post__deleted_at=None).exclude(post=post)
    if others.count() >= MOST:
        raise TooManyPins
    made, _created = Pin.objects.update_or_create(post=post, group=group, defaults={"until": until})
    staff_log.changed(by, [post], _("Pinned to %(place)s.") % {"place": place_name(group)})
    transaction.on_commit(pins.forget)
    return made


@transaction.atomic
def unpin(*, post: Post, group: Group | None, by: User) -> None:
    """Unpin a post from a group, or from the front page if `group` is None.

    The staff log records the action.
    """
    if Pin.objects.filter(post=post, group=group).delete()[0]:
        staff_log.changed(by, [post], _("Unpinned from %(place)s.") % {"place": place_name(group)})
        transaction.on_commit(pins.forget)


def place_name(group: Group | None) -> str:
    """Return the name of a group, or of the front page, for messages to staff."""
    return group.title if group else _("the front page")
