"""A guest presses Follow, logs in or signs up, and is asked whether to follow."""

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
    """Log in or sign up by a form that carries a follow; return where that leads."""
    address: str = entrance(name, window, follow=follow, next="/new")["Location"]
    return address


def followed() -> set[str]:
    """Return what cleo follows."""
    people = PersonFollow.objects.filter(follower__username="cleo")
    topics = GroupFollow.objects.filter(follower__username="cleo")
    names = people.values_list("person__username", flat=True)
    return {*names, *topics.values_list("group__title", flat=True)}


@pytest.mark.parametrize("entrance", [log_in, sign_up])
@pytest.mark.parametrize(("follow", "name"), [("u/ada", "ada"), ("g/books", "Books")])
def test_a_guests_follow_is_done_once_they_are_in_and_say_yes(
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


def test_who_says_no_follows_nobody_and_is_asked_no_more(books: Group) -> None:
    person("cleo")
    window = reader()
    way = enter(window, "cleo", "g/books")
    assert window.post(way, {"answer": "no"})["Location"] == "/new"
    assert window.post(way, {"answer": "yes"})["Location"] == "/new"
    assert followed() == set()


def test_a_follow_that_waited_for_one_person_is_not_done_by_the_next(books: Group) -> None:
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
def test_a_wish_that_names_nothing_is_no_obstacle(ada: User, follow: str) -> None:
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


def test_a_button_pressed_after_the_log_in_has_ended_is_carried_as_well(books: Group) -> None:
    answer = reader().post("/g/books/follow", {"on": "1", "next": "/g/books/"})
    assert answer["Location"] == "/accounts/login/?next=/g/books/&follow=g/books"
