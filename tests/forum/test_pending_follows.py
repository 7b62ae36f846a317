"""Pending follows: a guest presses Follow, logs in or signs up, and confirms."""

from typing import Any

import pytest
from django.test import Client

from forum.models import Group, GroupFollow, PersonFollow, User
from tests.forum.cast import groups, person, reader
from tests.forum.test_accounts import log_in, sign_up

pytestmark = pytest.mark.django_db(transaction=True)
ASKING = "/accounts/pending/"


@pytest.fixture
def books(ada: User) -> Group:
    return groups("books")[0]


def enter(window: Client, name: str, follow: str, entrance: Any = log_in) -> str:
    """Log in or sign up by a form with a pending follow; return where that redirects to."""
    address: str = entrance(name, window, follow=follow, next="/new")["Location"]
    return address


def followed() -> set[str]:
    """Return the people and groups that cleo follows."""
    people = PersonFollow.objects.filter(follower__username="cleo")
    topics = GroupFollow.objects.filter(follower__username="cleo")
    names = people.values_list("person__username", flat=True)
    return {*names, *topics.values_list("group__title", flat=True)}


@pytest.mark.parametrize("entrance", [log_in, sign_up])
@pytest.mark.parametrize(("follow", "name"), [("u/ada", "ada"), ("g/books", "Books")])
def test_a_guests_follow_is_done_after_log_in_and_confirmation(
    books: Group, entrance: Any, follow: str, name: str
) -> None:
    if entrance is log_in:
        person("cleo")
    window = reader()
    form = window.get("/accounts/login/", {"follow": follow}).content.decode()
    assert f'<input type="hidden" name="follow" value="{follow}">' in form
    way = enter(window, "cleo", follow, entrance)
    asked = window.get(way).content.decode()
    assert "Follow this?" in asked
    assert f">{name}</a>" in asked
    assert followed() == set()
    answer = window.post(way, {"answer": "yes"}, follow=True)
    assert answer.redirect_chain == [("/new", 303)]
    assert "You now follow <a href=" in answer.content.decode()
    assert followed() == {name}
    assert window.get(ASKING).status_code == 303, "nothing is left to be asked"


def test_declining_a_pending_follow_removes_it(books: Group) -> None:
    person("cleo")
    window = reader()
    way = enter(window, "cleo", "g/books")
    assert window.post(way, {"answer": "no"})["Location"] == "/new"
    assert window.post(way, {"answer": "yes"})["Location"] == "/new"
    assert followed() == set()


def test_a_pending_follow_is_not_done_for_the_next_person(books: Group) -> None:
    window = reader()
    person("dina", is_active=False)
    log_in("dina", window, follow="g/books")
    person("cleo")
    assert log_in("cleo", window)["Location"] != ASKING
    window.post(ASKING, {"answer": "yes"})
    assert followed() == set()


@pytest.mark.parametrize(
    "follow", ["g/gone", "u/nobody", "x/ada", "u/", "g/a\x00b", "u/" + "a" * 300]
)
def test_an_invalid_pending_follow_does_not_stop_log_in(ada: User, follow: str) -> None:
    person("cleo")
    window = reader()
    assert window.get("/accounts/login/", {"follow": follow}).status_code == 200
    way = enter(window, "cleo", follow)
    assert window.get(way, follow=True).status_code == 200
    assert followed() == set()


def test_nobody_is_asked_to_follow_themselves(ada: User) -> None:
    window = reader()
    way = enter(window, "ada", "u/ada")
    assert window.get(way)["Location"] == "/new"


def test_following_after_the_session_ended_is_carried_through_log_in(books: Group) -> None:
    answer = reader().post("/g/books/follow", {"on": "1", "next": "/g/books/"})
    assert answer["Location"] == "/accounts/login/?next=/g/books/&follow=g/books"
