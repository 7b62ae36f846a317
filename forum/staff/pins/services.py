"""Pinning and unpinning posts. Lists of this process show it at once, others within two seconds."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.content import staff_log
from forum.models import Group, Pin, Post, User
from forum.staff.pins.errors import NotListed, TooManyPins
from forum.staff.pins.queries import pins

MOST = 3
"""Posts pinned in one place: a page is still a ranking."""


@transaction.atomic
def pin(*, post: Post, group: Group | None, until: datetime | None, by: User) -> Pin:
    """Pin a post to the site (None) or to one of its groups; pinning it again changes the time.

    Raises NotListed if the post is deleted or not in the group, TooManyPins beyond `MOST`. It is
    logged.
    """
    current = Post.objects.select_for_update(no_key=True).get(pk=post.pk)
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
    """Take a post from the top of a listing. Repeating it is harmless. It is logged."""
    if Pin.objects.filter(post=post, group=group).delete()[0]:
        staff_log.changed(by, [post], _("Unpinned from %(place)s.") % {"place": place_name(group)})
        transaction.on_commit(pins.forget)


def place_name(group: Group | None) -> str:
    """Return what staff read of a place where posts are pinned."""
    return group.title if group else _("the front page")
