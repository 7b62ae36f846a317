"""Staff pin a post to the front page or to a group until a set time."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import marks
from forum.actions import posts as post_actions
from forum.admin.pins import services
from forum.models import Group, Pin, Post, User
from forum.queries.pins import pins
from forum.store.service import get_voting_service
from tests.forum.factories import groups, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.round_trips import counted_round_trips
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


POST = re.compile(r'id="post-(\d+)"')


@pytest.fixture
def old(ada: User) -> Post:
    """A post that is ranked below two newer posts."""
    return post(ada, "The rules of knots", slugs="books ropes")


@pytest.fixture
def newer(ada: User, bob: User, old: Post) -> list[Post]:
    above = [post(ada, "A loop", slugs="books"), post(ada, "A bend", slugs="books ropes")]
    for one in above:
        get_voting_service().votes.cast(bob.pk, Target(one.pk), Vote.UP)
    return above


def listed(path: str = "/", user: User | None = None) -> tuple[list[int], list[int]]:
    """Return the ids of a page's pinned posts, and of its other posts, both from top to bottom."""
    response = reader(user).get(path)
    assert response.status_code == 200
    html = response.content.decode()
    above = html.partition('<ul class="rows pins"')[2].partition("</ul>")[0]
    below = html.partition('<ol class="rows"')[2].partition("</ol>")[0]
    pinned, others = ([int(pk) for pk in POST.findall(part)] for part in (above, below))
    assert above.count('class="pin"') == len(pinned), "each is marked as pinned"
    return pinned, others


def send(window: Client, to: Post, **sent: Any) -> str:
    response = window.post(f"/admin/forum/post/{to.pk}/pin/", sent, follow=True)
    return str(response.content.decode())


def test_pinned_post_is_above_hot_and_not_repeated(
    root: User, bob: User, old: Post, newer: list[Post]
) -> None:
    loop, bend = newer
    send(reader(root), old, place="site", days="7")
    for user in (None, bob):
        assert listed("/", user) == ([old.pk], [bend.pk, loop.pk])
    assert listed("/new")[0] == []
    assert listed("/?dir=asc")[0] == []
    assert listed("/g/ropes/") == ([], [bend.pk, old.pk]), "it is pinned to the front page only"


def test_post_pinned_to_a_group_is_above_that_group_only(
    root: User, old: Post, newer: list[Post]
) -> None:
    ropes = Group.objects.get(slug="ropes")
    assert "The post is pinned to Ropes." in send(reader(root), old, place=ropes.pk, days="1")
    assert listed("/g/ropes/") == ([old.pk], [newer[1].pk])
    assert listed("/")[0] == []
    assert listed("/g/books+ropes/")[0] == []
    post_actions.regroup(old, groups("books"))
    assert listed("/g/ropes/") == ([], [newer[1].pk]), "it has left the group"


def test_pinned_posts_are_only_on_the_first_page(root: User, ada: User) -> None:
    made = [one.pk for one in posts(ada, 30)]
    services.pin(post=Post.objects.get(pk=made[0]), group=None, until=None, by=root)
    first, second = listed("/"), listed("/?p=2")
    assert first[0] == [made[0]]
    assert second[0] == []
    assert first[1] + second[1] == made[:0:-1]


def test_pin_expires(root: User, old: Post, newer: list[Post]) -> None:
    services.pin(post=old, group=None, until=None, by=root)
    Pin.objects.update(until=timezone.now() - timedelta(seconds=1))
    pins.forget()
    assert listed("/")[0] == []
    assert "Was pinned to the front page until" in send(reader(root), old)


def test_staff_unpin_a_post(root: User, old: Post, newer: list[Post]) -> None:
    window = reader(root)
    send(window, old, place="site", days="")
    html = send(window, old)
    assert "Pinned to the front page until it is unpinned" in html
    send(window, old, unpin=Pin.objects.get().pk)
    assert listed("/")[0] == []
    send(window, old, unpin="99")
    messages = [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]
    assert messages == ["Pinned to the front page.", "Unpinned from the front page."]


def test_a_post_pinned_again_is_pinned_once_for_the_new_time(root: User, old: Post) -> None:
    until = timezone.now() + timedelta(days=3)
    for time in (None, until):
        services.pin(post=old, group=None, until=time, by=root)
    assert Pin.objects.get().until == until


def test_a_fourth_post_is_not_pinned_to_the_same_place(root: User, ada: User) -> None:
    window = reader(root)
    *three, fourth = posts(ada, 4)
    for one in three:
        send(window, one, place="site", days="7")
    assert "This list already has 3 pinned posts." in send(window, fourth, place="site", days="7")
    assert len(listed("/")[0]) == 3
    post_actions.delete(three[0])
    send(window, fourth, place="site", days="7")
    assert fourth.pk in listed("/")[0]


@pytest.mark.parametrize(
    "sent", [{"place": "987654321", "days": "7"}, {"place": "site", "days": "8"}]
)
def test_unknown_place_or_time_is_refused(root: User, old: Post, sent: dict[str, str]) -> None:
    assert "Select a valid choice" in send(reader(root), old, **sent)
    assert not Pin.objects.exists()


def test_a_deleted_post_is_pinned_nowhere(root: User, old: Post, newer: list[Post]) -> None:
    services.pin(post=old, group=None, until=None, by=root)
    post_actions.delete(old)
    pins.forget()
    assert listed("/")[0] == []
    html = send(reader(root), old, place="site", days="1")
    assert "you can&#x27;t pin it there" in html


def test_hidden_pinned_post_is_not_shown(
    root: User, bob: User, old: Post, newer: list[Post]
) -> None:
    services.pin(post=old, group=None, until=None, by=root)
    marks.hide(bob, old, on=True)
    assert listed("/", bob) == ([], [newer[1].pk, newer[0].pk])


def test_a_list_with_nothing_but_a_pinned_post_is_not_called_empty(root: User, old: Post) -> None:
    services.pin(post=old, group=None, until=None, by=root)
    html = reader().get("/").content.decode()
    assert old.title in html
    assert "Nothing here yet." not in html


def test_pins_cost_a_page_no_query_and_no_round_trip(
    root: User, bob: User, old: Post, newer: list[Post], settings: Any
) -> None:
    services.pin(post=old, group=None, until=None, by=root)
    with counted_round_trips(settings) as (to_voting, _to_cache):
        for user in (None, bob):
            window = reader(user)
            window.get("/")
            with to_voting.counting(), CaptureQueriesContext(connection) as queries:
                assert 'class="pin"' in window.get("/").content.decode()
            assert (to_voting.round_trips, len(queries)) == (1, 0)


def test_newest_posts_are_listed_without_pins_while_redis_is_down(
    root: User, old: Post, newer: list[Post], settings: Any
) -> None:
    services.pin(post=old, group=None, until=None, by=root)
    with redis_down(settings):
        assert listed("/") == ([], [newer[1].pk, newer[0].pk, old.pk])


def test_only_staff_who_may_change_posts_pin_them(old: Post) -> None:
    path = f"/admin/forum/post/{old.pk}/pin/"
    assert reader(person("sam", is_staff=True)).get(path).status_code == 403
    assert reader(old.author).post(path, {"place": "site"}).status_code == 302
    assert not Pin.objects.exists()


def test_page_of_a_post_in_the_admin_links_to_pinning(root: User, old: Post) -> None:
    window, path = reader(root), f"/admin/forum/post/{old.pk}/pin/"
    html = window.get(f"/admin/forum/post/{old.pk}/change/").content.decode()
    assert f'href="{path}"' in html
    assert "until it is unpinned" in window.get(path).content.decode()
    for wrong in ("99999", "x", "99999999999999999999"):
        assert window.get(f"/admin/forum/post/{wrong}/pin/").status_code == 404
