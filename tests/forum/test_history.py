"""The viewing history lists the last 60 posts that a person opened; people can clear it and
turn it off.
"""

from typing import Any

import pytest
from redis import Redis

from forum.actions.visits import Visit
from forum.models import Post, User
from forum.queries.posts import post_state
from forum.store.service import get_voting_service
from tests.forum.factories import post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids
from voting.keys import people
from voting.types.person_lists import PersonList

pytestmark = pytest.mark.django_db(transaction=True)


def page(user: User) -> str:
    return get_html("/history", user)


def open_thread(user: User | None, written: Post) -> None:
    assert reader(user).get(written.get_absolute_url()).status_code == 200


def test_opened_posts_are_listed_once_newest_first(ada: User, bob: User) -> None:
    first, second, never = post(ada, "First"), post(ada, "Second"), post(ada, "Never")
    for one in (first, second, first):
        open_thread(bob, one)
    shown = page(bob)
    assert post_ids(shown) == [first.pk, second.pk]
    assert "Viewed" in shown
    assert str(never.pk) not in [str(one) for one in post_ids(shown)]
    assert post_ids(page(ada)) == [], "only the own list"


def test_sixty_posts_are_kept(ada: User, bob: User) -> None:
    written = posts(ada, 62)
    for one in written[:60]:
        post_state(one, bob.pk, read=Visit("bob", keeps_history=True))
    for one in written[60:]:
        open_thread(bob, one)
    assert post_ids(page(bob)) == [one.pk for one in reversed(written[2:])]


def test_views_of_guests_are_not_recorded(ada: User, redis: Redis) -> None:
    open_thread(None, post(ada))
    assert not list(redis.scan_iter("*:viewed"))
    assert not list(redis.scan_iter("*:seen"))


def test_prefetched_page_is_not_recorded(ada: User, bob: User) -> None:
    """The history doesn't record prefetched pages and HEAD requests."""
    address, window = post(ada).get_absolute_url(), reader(bob)
    assert window.head(address).status_code == 200
    for header in ("Purpose", "Sec-Purpose"):
        assert window.get(address, headers={header: "prefetch"}).status_code == 200
    assert post_ids(page(bob)) == []


def test_clearing_the_history_asks_first(ada: User, bob: User) -> None:
    open_thread(bob, post(ada))
    window = reader(bob)
    assert '<a href="/history/clear">Clear history</a>' in page(bob)
    html = get_html("/history/clear", window)
    assert "Clear your history?" in html
    assert "comments will no longer be marked as new" in html
    assert len(post_ids(page(bob))) == 1, "the page only asks for confirmation"
    answer = window.post("/history/clear", follow=True)
    assert "Your history was cleared." in answer.content.decode()
    assert post_ids(page(bob)) == []


def test_with_history_turned_off_nothing_is_recorded(ada: User, bob: User, redis: Redis) -> None:
    first, second = post(ada), post(ada)
    open_thread(bob, first)
    window = reader(bob)
    window.get("/")
    assert window.post("/history/setting/keeps_history", {"on": "0"}).status_code == 303
    window.get(second.get_absolute_url())
    shown = page(bob)
    assert post_ids(shown) == [first.pk]
    assert "History is off" in shown
    assert redis.hkeys(people.seen(bob.pk)) == [str(first.pk)]
    window.post("/history/setting/keeps_history", {"on": "1"})
    window.get(second.get_absolute_url())
    assert post_ids(page(bob)) == [second.pk, first.pk]


def test_hiding_read_posts_is_switched_on_the_history_page(ada: User, bob: User) -> None:
    read, unread = post(ada), post(ada)
    open_thread(bob, read)
    window = reader(bob)
    assert set(post_ids(window.get("/").content.decode())) == {read.pk, unread.pk}
    window.post("/history/setting/hides_read", {"on": "1"})
    assert User.objects.get(pk=bob.pk).hides_read
    assert post_ids(window.get("/").content.decode()) == [unread.pk]
    window.post("/history/setting/hides_read", {"on": "0"})
    assert set(post_ids(window.get("/").content.decode())) == {read.pk, unread.pk}


@pytest.mark.parametrize("path", ["/history", "/history/clear", "/history/setting/hides_read"])
def test_history_requires_log_in(path: str) -> None:
    window = reader()
    answer = window.get(path) if path == "/history" else window.post(path, {"on": "1"})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")


def test_changes_need_a_post_request_with_valid_values(bob: User) -> None:
    window = reader(bob)
    assert window.post("/history").status_code == 405
    assert window.get("/history/setting/keeps_history").status_code == 405
    assert window.post("/history/setting/is_staff", {"on": "1"}).status_code == 404
    assert window.post("/history/setting/keeps_history", {"on": "2"}).status_code == 400
    assert not User.objects.get(pk=bob.pk).is_staff


def test_history_works_while_redis_is_down_and_clearing_is_refused(
    ada: User, bob: User, settings: Any
) -> None:
    written = post(ada)
    open_thread(bob, written)
    window = reader(bob)
    with redis_down(settings):
        shown = page(bob)
        assert post_ids(shown) == []
        assert "Your history is temporarily unavailable" in shown
        assert "No history yet" not in shown, "whether it is empty is unknown"
        answer = window.post("/history/clear")
        assert answer.status_code == 503
        assert "be cleared right now" in answer.content.decode()
        open_thread(bob, written)
    assert post_ids(page(bob)) == [written.pk]


def test_a_deleted_post_is_left_out(ada: User, bob: User) -> None:
    written, other = post(ada), post(ada)
    for one in (written, other):
        open_thread(bob, one)
    reader(ada).post(f"/p/{written.pk}/delete")
    assert post_ids(page(bob)) == [other.pk]
    assert get_voting_service().person_lists.page(PersonList.VIEWED, bob.pk, 0, 9).total == 2
