"""The worker deletes what the site need not store any longer."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from forum.actions import comments, posts, retention
from forum.actions.visibility import Content
from forum.errors import Invalid
from forum.models import Comment, InboxItem, Post, Revision, User
from forum.moderation.actions import removals, undo
from forum.operations.repair.check import differences
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)


def delete(text: Content, days_ago: int) -> None:
    """Delete a post or comment as its author did some days ago."""
    if isinstance(text, Comment):
        comments.delete(text, text.author)
    else:
        posts.delete(text, by=text.author)
    deleted_at = timezone.now() - timedelta(days=days_ago, minutes=1)
    type(text).objects.filter(pk=text.pk).update(deleted_at=deleted_at)


def is_stored(text: Content) -> bool:
    return not retention.is_purged(type(text).objects.get(pk=text.pk))


def test_deleted_texts_are_deleted_for_good_after_90_days(ada: User, bob: User) -> None:
    old, new = post(ada, "Old"), post(ada, "New")
    comment = add_comment(ada, post(bob), "Old comment")
    reply = add_comment(bob, comment.post, "A reply", comment)
    for text, days_ago in ((old, 90), (comment, 90), (new, 89)):
        delete(text, days_ago)
    retention.delete_texts()
    assert [is_stored(text) for text in (old, comment, new, reply)] == [False, False, True, True]
    old.refresh_from_db()
    assert (old.title, old.body, old.url, old.search_text) == ("", "", "", "")
    assert "A reply" in get_html(comment.post.get_absolute_url())
    assert list(differences()) == []


def test_days_are_a_setting(ada: User, settings: Any) -> None:
    made = post(ada)
    delete(made, 8)
    settings.DELETED_TEXT_DAYS = 0
    retention.delete_texts()
    assert is_stored(made)
    settings.DELETED_TEXT_DAYS = 7
    retention.delete_texts()
    assert not is_stored(made)


def test_visible_texts_and_those_that_moderators_removed_stay(ada: User, root: User) -> None:
    visible, removed = post(ada, "Visible"), post(ada, "Removed")
    action = removals.remove(removed, by=root, reason="spam")
    earlier = timezone.now() - timedelta(days=400)
    Post.objects.update(created_at=earlier)
    Post.objects.exclude(deleted_at=None).update(deleted_at=earlier)
    retention.delete_texts()
    assert is_stored(visible)
    undo.undo(action, by=root)
    assert Post.objects.get(pk=removed.pk).title == "Removed"


def test_earlier_versions_are_deleted_after_90_days(ada: User) -> None:
    made, now = post(ada), timezone.now()
    for days_ago in (89, 91):
        until = now - timedelta(days=days_ago)
        Revision.objects.create(post=made, title=f"{days_ago} days ago", until=until)
    retention.delete_texts()
    assert [one.title for one in Revision.objects.all()] == ["89 days ago"]
    assert "89 days ago" in get_html(f"/p/{made.pk}/history")


def test_what_is_no_longer_stored_can_not_be_restored(ada: User, root: User) -> None:
    made = post(ada, "Old")
    delete(made, 91)
    retention.delete_texts()
    made.refresh_from_db()
    with pytest.raises(Invalid, match="no longer stored"):
        removals.restore(made, by=root, reason="By request")
    html = get_html(f"/p/{made.pk}/restore", reader(ada))
    assert "This text is no longer stored." in html
    assert ">Restore</button>" not in html
    assert "/restore" not in reader(ada).get(f"/p/{made.pk}/edit").content.decode()


def test_read_inbox_items_are_deleted_after_a_year(ada: User, bob: User) -> None:
    now = timezone.now()
    ages = {"read long ago": 366, "read": 364, "unread": None}
    for name, days in ages.items():
        InboxItem.objects.create(
            user=ada,
            actor=bob,
            kind=InboxItem.Kind.MODERATOR,
            text=name,
            created_at=now - timedelta(days=500),
            read_at=now - timedelta(days=days) if days else None,
        )
    retention.delete_read_items()
    assert set(InboxItem.objects.values_list("text", flat=True)) == {"read", "unread"}
