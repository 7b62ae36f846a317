"""The Active listing shows the time and author of each post's last comment."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from forum.content import comment_service
from forum.models import Comment, User
from tests.forum import comments
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down
from tests.forum.test_listings import ids, page

pytestmark = pytest.mark.django_db(transaction=True)


def test_active_says_when_a_post_was_last_commented_on_and_by_whom(
    ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    quiet, talked_about, bob = post(ada, "Quiet"), post(ada, "Talked about"), person("bob")
    comments.add_comment(ada, talked_about)
    last = comments.add_comment(bob, talked_about)
    window = reader()
    page("/active", window)
    with django_assert_num_queries(0):
        html = page("/active", window)
    assert ids(html) == [talked_about.pk, quiet.pk]
    link = f'<a href="{last.get_absolute_url()}">last comment just now by bob</a>'
    assert html.count("last comment") == html.count(link) == 1
    assert link in page("/g/books/active")
    assert "last comment" not in page("/new")


def test_active_names_the_previous_comment_after_the_last_was_deleted(
    ada: User, settings: Any
) -> None:
    written, bob = post(ada), person("bob")
    first, last = comments.add_comment(ada, written), comments.add_comment(bob, written)
    Comment.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(hours=2))
    comment_service.delete(last, by=bob)
    before = f'<a href="{first.get_absolute_url()}">last comment 2 hours ago by ada</a>'
    assert before in page("/active")
    with redis_down(settings):
        assert before in page("/active"), "SQL has it, too"
    comment_service.delete(first, by=ada)
    assert "last comment" not in page("/active")
    comment_service.release(last)
    assert "last comment just now by bob" in page("/active")
