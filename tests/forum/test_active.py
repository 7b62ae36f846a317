"""The Active listing shows the time and author of each post's last comment."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from forum.actions import comments as comment_actions
from forum.actions import visibility
from forum.models import Comment, Post, User
from tests.forum import comments
from tests.forum.factories import post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids

pytestmark = pytest.mark.django_db(transaction=True)


def test_active_says_when_a_post_was_last_commented_on_and_by_whom(
    ada: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    quiet, talked_about = post(ada, "Quiet"), post(ada, "Talked about")
    comments.add_comment(ada, talked_about)
    last = comments.add_comment(bob, talked_about)
    window = reader()
    get_html("/active", window)
    with django_assert_num_queries(0):
        html = get_html("/active", window)
    assert post_ids(html) == [talked_about.pk, quiet.pk]
    link = f'<a href="{last.get_absolute_url()}">last comment just now by bob</a>'
    assert html.count("last comment") == html.count(link) == 1
    assert link in get_html("/g/books/active")
    assert "last comment" not in get_html("/new")


def test_active_names_the_previous_comment_after_the_last_was_deleted(
    ada: User, bob: User, written: Post, settings: Any
) -> None:
    first, last = comments.add_comment(ada, written), comments.add_comment(bob, written)
    Comment.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(hours=2))
    comment_actions.delete(last, by=bob)
    before = f'<a href="{first.get_absolute_url()}">last comment 2 hours ago by ada</a>'
    assert before in get_html("/active")
    with redis_down(settings):
        assert before in get_html("/active"), "SQL has it, too"
    comment_actions.delete(first, by=ada)
    assert "last comment" not in get_html("/active")
    visibility.release(last)
    assert "last comment just now by bob" in get_html("/active")
