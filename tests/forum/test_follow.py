"""Members follow people and groups; pages show counts, times, and whom two members both follow."""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import unquote

import pytest
from redis import Redis

from forum.actions import following
from forum.actions.ties import TieSync
from forum.models import Group, GroupFollow, InboxItem, OutboxItem, PersonFollow, User
from forum.operations.repair.rebuild import ensure_filled, rebuild, refill
from forum.store import outbox
from forum.store.service import get_voting_service
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, person, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from tests.forum.worker_runs import deliver_outbox
from voting.types.follows import FollowSide
from voting.types.limits import Window
from voting.types.person_lists import PersonList

pytestmark = pytest.mark.django_db(transaction=True)


def follows(user: User) -> set[int]:
    """Return the ids of the people that a person follows, from Redis."""
    return _ids(FollowSide.FOLLOWS, user)


def fans(user: User) -> set[int]:
    """Return the ids of a person's followers, from Redis."""
    return _ids(FollowSide.FOLLOWERS, user)


def _ids(side: FollowSide, user: User) -> set[int]:
    return {each.id for each in get_voting_service().follows.page(side, user.pk, 0, 100).follows}


def test_following_shows_on_both_profiles_and_redirects_back(ada: User, bob: User) -> None:
    answer = reader(bob).post("/u/ada/follow", {"on": "1", "next": "/new?p=2"})
    assert (answer.status_code, answer["Location"]) == (303, "/new?p=2")
    assert "1 follower" in get_html("/u/ada/")
    assert "follows 1 person" in get_html("/u/bob/")
    assert 'href="/u/bob/"' in get_html("/u/ada/fans")
    assert 'href="/u/ada/"' in get_html("/u/bob/follows")
    assert 'name="on" value="0">Stop following' in get_html("/u/ada/", bob)
    assert InboxItem.objects.filter(user=ada, actor=bob, kind="follower").exists()


def test_unfollowing_undoes_it_and_repeating_changes_nothing(ada: User, bob: User) -> None:
    window = reader(bob)
    for on, count in (("1", 1), ("1", 1), ("0", 0)):
        assert window.post("/u/ada/follow", {"on": on}).status_code == 303
        assert PersonFollow.objects.count() == len(follows(bob)) == len(fans(ada)) == count
    assert not OutboxItem.objects.filter(kind="tie").exists()


def test_nobody_follows_themselves(ada: User) -> None:
    answer = reader(ada).post("/u/ada/follow", {"on": "1"})
    assert answer.status_code == 403
    assert not PersonFollow.objects.exists()


def test_guest_who_follows_logs_in_and_returns_to_the_profile(ada: User) -> None:
    answer = reader().post("/u/ada/follow", {"on": "1"})
    assert answer.status_code == 303
    assert answer["Location"] == "/accounts/login/?next=/u/ada/&follow=u/ada"
    answer = reader().post("/u/ada/follow", {"on": "0"})
    assert answer["Location"] == "/accounts/login/?next=/u/ada/"


@pytest.mark.parametrize("path", ["/u/ada/follow", "/g/books/follow", "/g/books/hide"])
def test_following_takes_a_form_with_on_or_off(ada: User, bob: User, path: str) -> None:
    groups("books")
    assert reader(bob).get(path).status_code == 405
    assert reader(bob).post(path, {"on": "maybe"}).status_code == 400
    nobody = path.replace("ada", "no").replace("books", "no")
    assert reader(bob).post(nobody, {"on": "1"}).status_code == 404


@pytest.mark.parametrize(
    "back", ["http://[#", "https://bad.example/", "//bad.example", "javascript:alert(1)#", "\\\\x"]
)
def test_invalid_return_address_redirects_to_the_profile(ada: User, bob: User, back: str) -> None:
    answer = reader(bob).post("/u/ada/follow", {"on": "1", "next": back})
    assert (answer.status_code, answer["Location"]) == (303, "/u/ada/")


@pytest.mark.parametrize("path", ["/g/b%00oks/follow", "/g/b%00oks/hide", "/u/a%00da/follow"])
def test_a_name_that_sql_rejects_is_not_found(bob: User, path: str) -> None:
    assert reader(bob).post(path, {"on": "1"}).status_code == 404


def test_following_many_people_at_once_is_throttled(bob: User, settings: Any) -> None:
    settings.LIMITS_NEW = settings.LIMITS_NEW | {"follow": (Window(3, 600),)}
    window = reader(bob)
    for number in range(4):
        person(f"person{number}")
        answer = window.post(f"/u/person{number}/follow", {"on": "1"})
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert PersonFollow.objects.count() == 3


def test_hiding_a_group_unfollows_it_and_says_where_it_is_listed(bob: User) -> None:
    groups("books")
    window = reader(bob)
    window.post("/g/books/follow", {"on": "1"})
    hidden = window.post("/g/books/hide", {"on": "1"}, follow=True).content.decode()
    assert "Posts in Books are hidden from your lists." in hidden
    assert 'href="/u/bob/hidden">See what you hid' in hidden
    assert "Stop following" not in hidden
    assert get_voting_service().person_lists.hidden_groups(bob.pk) == {"books"}
    again = window.post("/g/books/hide", {"on": "1"}, follow=True).content.decode()
    assert "are hidden from your lists." not in again, "only the first time"
    shown = window.post("/g/books/hide", {"on": "0"}, follow=True).content.decode()
    assert "Posts in Books appear in your lists again." in shown


def test_following_a_hidden_group_shows_it_again_and_says_so(bob: User) -> None:
    groups("books")
    window, says = reader(bob), "Posts in Books appear in your lists again."
    window.post("/g/books/hide", {"on": "1"})
    followed = window.post("/g/books/follow", {"on": "1"}, follow=True).content.decode()
    assert "Hide this group's posts from your lists" in followed
    assert get_voting_service().person_lists.hidden_groups(bob.pk) == set()
    assert says in followed
    again = window.post("/g/books/follow", {"on": "1"}, follow=True).content.decode()
    assert says not in again, "only the first time"


def test_following_a_blocked_person_lifts_the_block_and_says_so(ada: User, bob: User) -> None:
    window, says = reader(bob), "You unblocked ada."
    window.post("/u/ada/block", {"on": "1"})
    for on, changed in (("0", False), ("1", True), ("1", False)):
        html = window.post("/u/ada/follow", {"on": on}, follow=True).content.decode()
        assert (says in html) == changed
    assert follows(bob) == {ada.pk}


def test_a_group_is_followed_and_hidden_on_its_page(bob: User) -> None:
    groups("books")
    window = reader(bob)
    window.post("/g/books/follow", {"on": "1"})
    assert GroupFollow.objects.filter(follower=bob, group__slug="books").exists()
    assert "Stop following" in get_html("/g/books/", bob)
    assert "Books" in get_html("/u/bob/follows")
    window.post("/g/books/hide", {"on": "1"})
    assert "Show this group's posts in your lists again" in get_html("/g/books/", bob)
    assert get_voting_service().person_lists.hidden_groups(bob.pk) == {"books"}
    window.post("/g/books/hide", {"on": "0"})
    window.post("/g/books/follow", {"on": "0"})
    shown = get_html("/g/books/", bob)
    assert "Hide this group's posts from your lists" in shown
    assert "Stop following" not in shown
    assert "Hide this group" not in get_html("/g/books/"), "guests can't follow"


@pytest.mark.parametrize("path", ["/g/books/", "/u/ada/"])
def test_guest_who_follows_sees_why_to_log_in(ada: User, path: str) -> None:
    groups("books")
    name = "Books" if path == "/g/books/" else "ada"
    way = f"/accounts/login/?next={path}&amp;follow={path.strip('/')}"
    assert f'href="{way}"' in get_html(path)
    html = get_html(unescape(way))
    assert re.search(rf"Log in to follow: <b [^>]+>{name}</b>", html)
    assert f"/accounts/signup/?next={path}&amp;follow={path.strip('/')}" in unquote(html)


def test_follow_lists_have_dates_and_pages(ada: User) -> None:
    crowd = [person(f"fan{number}") for number in range(27)]
    for one in crowd:
        following.set_follow(one, ada, on=True)
    shown = get_html("/u/ada/fans")
    assert "27 followers" in shown
    assert shown.count("<time datetime=") == 25
    assert shown.index("/u/fan26/") < shown.index("/u/fan2/")
    second = get_html("/u/ada/fans?p=2")
    assert '/u/fan0/"' in second
    assert '/u/fan2/"' not in second
    assert reader().get("/u/ada/fans?p=3").status_code == 404


def test_other_spelling_of_the_name_redirects_to_the_list(ada: User) -> None:
    assert reader().get("/u/ADA/fans")["Location"] == "/u/ada/fans"
    assert reader().get("/u/nobody/fans").status_code == 404


def test_profile_shows_followed_people_in_common(ada: User, bob: User) -> None:
    cleo, dina = person("cleo"), person("dina")
    for other in (cleo, dina):
        following.set_follow(bob, other, on=True)
    following.set_follow(ada, cleo, on=True)
    shown = get_html("/u/ada/", bob)
    assert "You both follow 1 person" in shown
    assert 'href="/u/cleo/"' in shown
    assert "You both follow" not in get_html("/u/bob/", bob)
    assert "You both follow" not in get_html("/u/ada/")


def test_while_redis_is_down_lists_come_from_sql_and_following_is_refused(
    ada: User, bob: User, settings: Any
) -> None:
    groups("books")
    following.set_follow(bob, ada, on=True)
    following.set_follow(bob, Group.objects.get(), on=True)
    with redis_down(settings):
        shown = get_html("/u/bob/follows", ada)
        assert 'href="/u/ada/"' in shown
        assert "Books" in shown
        assert "follows 1 person" in shown
        assert 'href="/u/bob/"' in get_html("/u/ada/fans")
        answer = reader(bob).post("/u/ada/follow", {"on": "0"})
        assert answer.status_code == 503
        assert answer["Retry-After"]
    assert PersonFollow.objects.exists(), "a refused action changes nothing"


def test_while_redis_is_down_a_group_page_shows_follows_and_hides(
    ada: User, bob: User, settings: Any
) -> None:
    groups("books")
    following.set_follow(bob, Group.objects.get(), on=True)
    following.hide_group(ada, Group.objects.get(), True)
    with redis_down(settings):
        assert "Stop following" in get_html("/g/books/", bob)
        assert "Show this group's posts in your lists again" in get_html("/g/books/", ada)
        assert "Stop following" not in get_html("/g/books/", ada)


def test_follows_made_during_an_outage_are_synced_later(
    ada: User, bob: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "GRACE", timedelta(hours=1))
    with redis_down(settings):
        following.set_follow(bob, ada, on=True)
    assert follows(bob) == set()
    assert outbox.repeat() == 0, "the worker delivers it later"
    assert deliver_outbox() == 2, "the follow and Ada's unread count"
    assert (follows(bob), fans(ada)) == ({ada.pk}, {bob.pk})
    assert outbox.repeat() == 0


def test_an_old_row_does_not_restore_a_removed_follow(ada: User, bob: User) -> None:
    following.set_follow(bob, ada, on=True)
    following.set_follow(bob, ada, on=False)
    outbox.write(TieSync("person", bob.pk, ada.pk))
    deliver_outbox()
    assert (follows(bob), fans(ada)) == (set(), set())


def test_concurrent_follows_and_unfollows_end_the_same_in_sql_and_redis(
    ada: User, bob: User
) -> None:
    follow = partial(following.set_follow, bob, ada, on=True)
    unfollow = partial(following.set_follow, bob, ada, on=False)
    for _ in range(9):
        run_at_once(follow, unfollow, follow, unfollow)
        expected = {ada.pk} if PersonFollow.objects.exists() else set()
        assert follows(bob) == expected
        assert fans(ada) == ({bob.pk} if expected else set())
        assert not OutboxItem.objects.filter(kind="tie").exists()


def test_two_people_can_follow_each_other_at_once(ada: User, bob: User) -> None:
    run_at_once(
        lambda: following.set_follow(ada, bob, on=True),
        lambda: following.set_follow(bob, ada, on=True),
    )
    assert follows(ada) == fans(ada) == {bob.pk}
    assert follows(bob) == fans(bob) == {ada.pk}


def test_an_emptied_redis_is_filled_with_the_same_lists(ada: User, bob: User, redis: Redis) -> None:
    books, maths = groups("books", "maths")
    following.set_follow(bob, ada, on=True)
    following.set_follow(ada, bob, on=True)
    following.set_follow(bob, books, on=True)
    following.hide_group(bob, maths, True)
    before = _known(ada, bob)
    redis.flushall()
    assert 'href="/u/ada/"' in get_html("/u/bob/follows"), "listed from SQL during the outage"
    assert ensure_filled()
    assert _known(ada, bob) == before


@pytest.mark.parametrize("repair", [rebuild, refill])
def test_rebuild_drops_follows_that_sql_does_not_have(
    repair: Callable[[], int], ada: User, bob: User
) -> None:
    cleo = person("cleo")
    (books,) = groups("books")
    following.set_follow(bob, cleo, on=True)
    following.set_follow(bob, books, on=True)
    get_voting_service().follows.set_person(bob.pk, ada.pk, 100.0)
    get_voting_service().follows.set_person(9_999, ada.pk, 100.0)
    get_voting_service().person_lists.put(PersonList.SAVED, bob.pk, 77, 100.0)
    for name in ("unknown", "books"):
        get_voting_service().person_lists.hide_group(bob.pk, name, True)
    get_voting_service().follows.set_group(bob.pk, "unknown", 100.0)
    repair()
    assert (follows(bob), fans(ada), fans(cleo)) == ({cleo.pk}, set(), {bob.pk})
    assert get_voting_service().person_lists.hidden_groups(bob.pk) == frozenset()
    assert get_voting_service().person_lists.page(PersonList.SAVED, bob.pk, 0, 9).total == 0
    assert [each.name for each in get_voting_service().follows.groups(bob.pk)] == ["books"]


def _known(*people: User) -> list[Any]:
    """Return each person's follows, followers, followed groups and hidden groups from Redis."""
    follows, lists = get_voting_service().follows, get_voting_service().person_lists
    return [
        (
            follows.page(FollowSide.FOLLOWS, one.pk, 0, 9),
            follows.page(FollowSide.FOLLOWERS, one.pk, 0, 9),
            follows.groups(one.pk),
            lists.hidden_groups(one.pk),
        )
        for one in people
    ]


@pytest.mark.parametrize(
    ("tab", "words"),
    [("fans", "bob has no followers yet."), ("follows", "follow anyone yet.")],
)
def test_empty_follow_lists_say_so(bob: User, tab: str, words: str) -> None:
    html = get_html(f"/u/bob/{tab}")
    assert words in html
    assert "<h2>" not in html
