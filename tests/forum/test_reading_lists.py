"""Unread posts, unanswered questions, and what a person missed since their last visit."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import following, marks
from forum.models import Group, Post, User
from forum.models.user import viewer_key
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids
from tests.forum.past_posts import past_post
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
MISSED = "New since your last visit"


def open_thread(user: User, written: Post) -> None:
    assert reader(user).get(written.get_absolute_url()).status_code == 200


def stay_away(user: User, **pause: int) -> None:
    """Let a time pass since the person was active. By then, the cache forgot the person."""
    User.objects.filter(pk=user.pk).update(active_at=timezone.now() - timedelta(**pause))
    cache.delete(viewer_key(user.pk))


def last_visit(user: User) -> Any:
    return User.objects.get(pk=user.pk).last_visit_at


def write_before_and_after_a_visit(ada: User, bob: User) -> tuple[Post, Post]:
    """Write one post before Bob's last visit ended, and one post since."""
    old, new = past_post(ada, days=5 / 24), post(ada, "New")
    post_sync.deliver([old.pk])
    reader(bob).get("/")
    stay_away(bob, hours=3)
    return old, new


def test_unread_has_unopened_posts_and_threads_with_new_comments(ada: User, bob: User) -> None:
    read, talked, fresh = (post(ada, title) for title in ("Read", "Talked about", "Fresh"))
    for one in (read, talked):
        open_thread(bob, one)
    add_comment(ada, talked)
    html = get_html("/unread", bob)
    assert set(post_ids(html)) == {talked.pk, fresh.pk}
    assert "1 new" in html


def test_person_who_read_everything_sees_a_sentence(ada: User, bob: User) -> None:
    open_thread(bob, post(ada))
    assert "You have read everything." in get_html("/unread", bob)


def test_unread_works_while_redis_is_down(ada: User, bob: User, settings: Any) -> None:
    written = post(ada)
    with redis_down(settings):
        assert post_ids(get_html("/unread", bob)) == [written.pk]


def test_unread_says_that_history_is_off(bob: User) -> None:
    reader(bob).post("/history/setting/keeps_history", {"on": "0"})
    assert "History is off" in get_html("/unread", bob)


@pytest.mark.parametrize("path", ["/unread", "/missed"])
def test_guests_log_in_for_their_own_lists(path: str) -> None:
    answer = reader().get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


def test_unanswered_has_questions_without_answers_for_guests_too(ada: User, bob: User) -> None:
    answered, commented, fresh = (post(ada, f"{n}?", kind="question") for n in range(3))
    post(ada, "No question")
    add_comment(bob, answered)
    add_comment(bob, commented, on_question=True)
    assert post_ids(get_html("/unanswered")) == [fresh.pk, commented.pk]
    marks.hide(bob, fresh, on=True)
    assert post_ids(get_html("/unanswered", bob)) == [commented.pk]
    following.hide_group(bob, Group.objects.get(), True)
    assert "Every question has an answer." in get_html("/unanswered", bob)


def test_unanswered_has_several_pages(ada: User, settings: Any) -> None:
    written = [post(ada, f"{n}?", kind="question").pk for n in range(settings.PAGE_SIZE + 2)]
    first = get_html("/unanswered")
    assert post_ids(first) == written[:1:-1]
    assert post_ids(get_html("/unanswered?p=2")) == written[1::-1]
    assert reader().get("/unanswered?p=3").status_code == 404
    assert reader().get("/unanswered?p=x").status_code == 404


def test_newest_posts_are_divided_by_the_last_visit(ada: User, bob: User) -> None:
    old, new = write_before_and_after_a_visit(ada, bob)
    html = get_html("/new", bob)
    assert post_ids(html) == [new.pk, old.pk]
    places = [html.index(text) for text in (f'id="post-{new.pk}"', MISSED, f'id="post-{old.pk}"')]
    assert places == sorted(places)
    assert "3 hours ago" in html
    for path in ("/", "/active", "/new?dir=asc"):
        assert MISSED not in get_html(path, bob), "not in order of time"
    assert MISSED not in get_html("/new"), "guests"


def test_line_is_absent_if_nothing_is_new_or_it_is_the_first_visit(ada: User, bob: User) -> None:
    write_before_and_after_a_visit(ada, bob)
    assert MISSED not in get_html("/new", ada), "the first visit"
    assert MISSED in get_html("/new", bob)
    stay_away(bob, hours=-1)
    User.objects.filter(pk=bob.pk).update(last_visit_at=timezone.now())
    assert MISSED not in get_html("/new", bob), "nothing is new"


def test_line_begins_a_page_if_all_posts_of_the_page_before_are_new(
    ada: User, bob: User, settings: Any
) -> None:
    write_before_and_after_a_visit(ada, bob)
    posts(ada, settings.PAGE_SIZE - 1)
    first = get_html("/new", bob)
    assert MISSED not in first
    link = re.search(r'href="(/new\?p=2&amp;after=[^"]+)"', first)
    assert link, "the first page leads to the second"
    assert MISSED in get_html(unescape(link[1]), bob)


def test_missed_posts_are_the_best_since_the_last_visit(ada: User, bob: User) -> None:
    old, good = write_before_and_after_a_visit(ada, bob)
    better = post(ada, "Better")
    get_voting_service().votes.cast(bob.pk, Target(good.pk), Vote.DOWN)
    Post.objects.filter(pk=good.pk).update(down=1)
    html = get_html("/missed", bob)
    assert post_ids(html) == [better.pk, good.pk]
    assert "The best posts since your last visit, 3 hours ago." in html
    assert old.pk in post_ids(get_html("/missed", ada)), "the last 24 hours"


def test_visit_ends_with_a_pause_and_is_written_at_most_twice_an_hour(bob: User) -> None:
    reader(bob).get("/")
    assert last_visit(bob) is None
    for minutes, ends in ((29, False), (45, False), (61, True)):
        stay_away(bob, minutes=minutes)
        before = User.objects.get(pk=bob.pk).active_at
        reader(bob).get("/")
        assert last_visit(bob) == (before if ends else None)
    window = reader(bob)
    cache.delete(viewer_key(bob.pk))
    with CaptureQueriesContext(connection) as queries:
        window.get("/")
    assert not [one for one in queries if "UPDATE" in one["sql"]]
