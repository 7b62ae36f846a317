"""Deletes what the site need not store any longer: deleted texts, revisions, read inbox items."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from forum.actions.visibility import Content
from forum.models import Comment, InboxItem, Post, PreviewImage, Revision, Withheld

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
    """Delete the texts that authors deleted `DELETED_TEXT_DAYS` ago, and revisions of that age.

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
    """Delete the texts of deleted posts for good. Return whether there were any.

    Merged posts keep title and link, because lists show these as a line to the remaining post.
    """
    Post.objects.filter(pk__in=pks, withheld=Withheld.MERGED).update(**NO_TEXT)
    deleted = Post.objects.filter(pk__in=pks).exclude(deleted_at=None)
    deleted.exclude(withheld=Withheld.MERGED).update(**NO_POST)
    Revision.objects.filter(post__in=pks, comment=None).delete()
    PreviewImage.objects.filter(pk__in=pks, post__title="").delete()
    return bool(pks)


@transaction.atomic
def purge_comments(pks: list[int]) -> bool:
    """Delete the texts of deleted comments for good. Return whether there were any."""
    Comment.objects.filter(pk__in=pks).exclude(deleted_at=None).update(**NO_TEXT)
    Revision.objects.filter(comment__in=pks).delete()
    return bool(pks)
