"""Deletes what the site need not store any longer: deleted texts, revisions, read inbox items."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from forum.actions import moderator_edits
from forum.actions.visibility import Content
from forum.models import Comment, InboxItem, ModAction, Post, PreviewImage, Revision
from forum.models.deleted_names import DELETED
from forum.store import outbox
from forum.store.post_sync import PostSync

READ_ITEMS = timedelta(days=365)
"""How long inbox items stay after they were read."""
BATCH = 500
"""The most rows that are changed at once."""
NO_TEXT = {"body": "", "body_html": "", "search_text": ""}
NO_POST = NO_TEXT | {"title": "", "url": "", "url_key": "", "host": ""}


def is_purged(text: Content) -> bool:
    """Return whether the text of a post or comment was deleted for good."""
    return not (text.title if isinstance(text, Post) else text.body)


def delete_texts() -> None:
    """Delete texts that authors deleted `DELETED_TEXT_DAYS` ago, and earlier versions of that age.

    Earlier versions are in revisions, and in the log entries of moderators' edits.

    The rows stay, because replies and votes refer to them. 0 days mean to delete nothing.
    """
    if not settings.DELETED_TEXT_DAYS:
        return
    before = timezone.now() - timedelta(days=settings.DELETED_TEXT_DAYS)
    while purge_posts(_old_posts(before)):
        pass
    while purge_comments(_old_comments(before)):
        pass
    _delete(Revision.objects.filter(until__lt=before))
    moderator_edits.forget_texts(ModAction.objects.filter(created_at__lt=before))


def delete_read_items() -> None:
    """Delete inbox items a year after they were read."""
    _delete(InboxItem.objects.filter(read_at__lt=timezone.now() - READ_ITEMS))


def _old_posts(before: datetime) -> list[int]:
    found = Post.objects.filter(deleted_at__lt=before, withheld="").exclude(title="")
    return list(found.order_by("deleted_at").values_list("pk", flat=True)[:BATCH])


def _old_comments(before: datetime) -> list[int]:
    found = Comment.objects.filter(deleted_at__lt=before, withheld="").exclude(body="")
    return list(found.order_by("deleted_at").values_list("pk", flat=True)[:BATCH])


def _delete(rows: "QuerySet[Any]") -> None:
    while delete_some(rows):
        pass


def delete_some(rows: "QuerySet[Any]") -> bool:
    """Delete up to 500 of these rows. Return whether there were any."""
    pks = list(rows.values_list("pk", flat=True)[:BATCH])
    rows.filter(pk__in=pks).delete()
    return bool(pks)


@transaction.atomic
def purge_posts(pks: list[int]) -> bool:
    """Delete the texts of deleted posts for good. Return whether there were any."""
    Post.objects.filter(pk__in=pks).exclude(deleted_at=None).update(**NO_POST)
    Revision.objects.filter(post__in=pks, comment=None).delete()
    PreviewImage.objects.filter(pk__in=pks, post__title="").delete()
    moderator_edits.forget_texts(ModAction.objects.filter(post__in=pks, comment=None))
    _forget_in_staff_log("post", pks)
    outbox.add(*map(PostSync, pks))
    return bool(pks)


@transaction.atomic
def purge_comments(pks: list[int]) -> bool:
    """Delete the texts of deleted comments for good. Return whether there were any."""
    Comment.objects.filter(pk__in=pks).exclude(deleted_at=None).update(**NO_TEXT)
    Revision.objects.filter(comment__in=pks).delete()
    _forget_in_staff_log("comment", pks)
    return bool(pks)


def _forget_in_staff_log(model: str, pks: list[int]) -> None:
    """Erase titles of posts, and beginnings of comments, in the staff log."""
    entries = LogEntry.objects.filter(content_type__app_label="forum", content_type__model=model)
    entries.filter(object_id__in=map(str, pks)).update(object_repr=DELETED)
