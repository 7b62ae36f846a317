"""Choosing and changing user names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from forum.actions import security_log
from forum.errors import Invalid
from forum.identity import permissions
from forum.models import Block, Comment, FormerName, PersonNote, Post, SecurityEvent, User
from forum.models.user import forget_viewer
from forum.queries import role_marks
from forum.queries.names import YEAR, looks_taken
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.text import usernames

STEP = 200
"""The most posts or comments that one step syncs."""


def require_free(name: str, *, but_for: User | None = None, may_be_official: bool = False) -> None:
    """Raise Invalid if a name isn't allowed, is reserved, or looks like the name of somebody else.

    Ignores the names of `but_for`. With `may_be_official`, accepts names such as "admin".
    """
    try:
        usernames.check(name)
    except ValidationError as error:
        raise Invalid(error.messages[0]) from error
    if not may_be_official and usernames.is_reserved(name, settings.SITE_NAME):
        raise Invalid(_("That user name is reserved. Please choose another one."))
    if looks_taken(name, but_for=but_for):
        raise Invalid(
            _("That user name looks like the name of somebody else. Please choose another one.")
        )


def next_rename(person: User) -> datetime | None:
    """Return when a person may change the user name again; None if the person may do so now."""
    last = person.former_names.order_by("-changed_at").values_list("changed_at", flat=True).first()
    return last + YEAR if last and last + YEAR > timezone.now() else None


def rename(person: User, name: str, *, network: str = "") -> None:
    """Change a person's own user name, and notify the person by email.

    The old name leads to the new one for a year. `network` is a hash for the security log.

    Raises Banned if the person is banned from the site, and Invalid if the name isn't free or the
    person changed it within a year.
    """
    with transaction.atomic():
        _change(person, name)
        former = person.former_names.latest("pk").name
        details = {"name": name, "former": former}
        security_log.record(
            SecurityEvent.Kind.NAME, person_id=person.pk, network=network, details=details
        )
    get_adapter().send_notification_mail("account/email/name", person, details)


def _change(person: User, name: str) -> None:
    permissions.require_not_banned(person)
    User.lock(person.pk)
    person.refresh_from_db(fields=["username"])
    if name == person.username:
        raise Invalid(_("That is your user name already."))
    if again := next_rename(person):
        sentence = _("You can change your user name once a year, next on %(date)s.")
        raise Invalid(sentence % {"date": date_format(again)})
    require_free(name, but_for=person)
    person.former_names.create(name=person.username, changed_at=timezone.now())
    person.username = name
    try:
        with transaction.atomic():
            person.save(update_fields=["username"])
    except IntegrityError as error:
        raise Invalid(_("That user name was just taken. Please choose another one.")) from error
    outbox.add(RenamedSync(person.pk))
    transaction.on_commit(role_marks.forget)


def forget_old() -> None:
    """Delete former names after a year. Others can then have them."""
    FormerName.objects.filter(changed_at__lte=timezone.now() - YEAR).delete()


@dataclass(frozen=True)
class RenamedSync(outbox.Sync):
    """Syncs the posts and comments of a renamed person to Redis, some in each step."""

    kind = "renamed"
    in_background = True
    user_id: int
    posts_after: int = 0
    """The id of the last post of the step before; -1 when all posts are done."""
    comments_after: int = 0

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Write outbox rows that sync the next posts or comments, and one for the next step."""
        for one in dict.fromkeys(syncs):
            with transaction.atomic():
                outbox.write(*one.next_syncs())

    def next_syncs(self) -> Iterator[outbox.Sync]:
        """Yield the outbox rows of this step."""
        if self == RenamedSync(self.user_id):
            _forget_viewers(self.user_id)
        if self.posts_after >= 0:
            ids = _next_posts(self.user_id, self.posts_after)
            yield from map(PostSync, ids)
            yield RenamedSync(self.user_id, ids[-1] if ids else -1)
            return
        found = _next_comments(self.user_id, self.comments_after)
        yield from (PostSync(post_id, comment_id) for comment_id, post_id in found)
        if found:
            yield RenamedSync(self.user_id, -1, found[-1][0])


def _forget_viewers(user_id: int) -> None:
    """Forget the cached viewers who blocked or labelled a person, since these contain the name."""
    blocks = Block.objects.filter(blocked=user_id).values_list("user_id", flat=True)
    notes = PersonNote.objects.filter(person=user_id).values_list("user_id", flat=True)
    for viewer_id in {*blocks, *notes}:
        forget_viewer(viewer_id)


def _next_posts(user_id: int, after: int) -> list[int]:
    """Increase the versions of a person's next posts, so that Redis takes the new name.

    Returns the ids of these posts.
    """
    posts = Post.objects.filter(author=user_id, pk__gt=after, deleted_at=None).order_by("pk")
    ids = list(posts.values_list("pk", flat=True)[:STEP])
    Post.objects.filter(pk__in=ids).update(version=F("version") + 1)
    return ids


def _next_comments(user_id: int, after: int) -> list[tuple[int, int]]:
    """Increase the versions of a person's next comments, and of posts that name them as the last.

    Returns the ids of these comments and of their posts.
    """
    comments = Comment.objects.filter(author=user_id, pk__gt=after, deleted_at=None).order_by("pk")
    found = list(comments.values_list("pk", "post_id")[:STEP])
    ids = [comment_id for comment_id, _post_id in found]
    Comment.objects.filter(pk__in=ids).update(version=F("version") + 1)
    Post.objects.filter(last_comment__in=ids).update(version=F("version") + 1)
    return found
