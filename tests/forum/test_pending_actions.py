"""A guest's vote or follow waits for log-in or sign-up, and takes effect after a confirmation."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import GroupFollow, PersonFollow, Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import groups, make_older, person, post, reader
from tests.forum.outages import redis_down
from tests.forum.test_accounts import is_in, log_in, sign_up
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)
CONFIRM = "/accounts/pending/"


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, "Tom & <b>Jerry</b>")


def vote_of(name: str, written: Post) -> Vote | None:
    viewer = User.objects.get(username=name).pk
    return get_voting_service().posts.rows([written.pk], viewer=viewer)[0].vote


def followed() -> set[str]:
    """Return the names of the people and groups that Cleo follows, from SQL."""
    people = PersonFollow.objects.filter(follower__username="cleo")
    topics = GroupFollow.objects.filter(follower__username="cleo")
    names = people.values_list("person__username", flat=True)
    return {*names, *topics.values_list("group__title", flat=True)}


def enter(window: Client, entrance: Any = log_in, **fields: Any) -> str:
    """Log in or sign up with a pending action; return the URL that the response redirects to."""
    if entrance is log_in and not User.objects.filter(username="cleo").exists():
        person("cleo")
    address: str = entrance("cleo", window, **({"next": "/new"} | fields))["Location"]
    return address


def confirm(window: Client, address: str, answer: str = "yes") -> list[str]:
    """Submit the page that asks about the pending action; return the messages on the next page."""
    page = window.post(address, {"answer": answer}, follow=True).content.decode()
    assert window.get(CONFIRM).status_code == 303, "nothing is left to confirm"
    return re.findall(r'<p class="notice[^>]*>(.*?)</p>', page)


@pytest.mark.parametrize("entrance", [log_in, sign_up])
def test_a_guests_vote_is_cast_after_confirmation_and_never_by_a_get(
    written: Post, entrance: Any
) -> None:
    window, pending = reader(), {"vote": "up", "post": str(written.pk)}
    form = window.get("/accounts/login/", pending).content.decode()
    assert '<input type="hidden" name="vote" value="up">' in form
    address = enter(window, entrance, **pending)
    page = window.get(address).content.decode()
    assert "Vote this up?" in page
    assert ("Welcome, cleo." in page) == (entrance is sign_up)
    assert vote_of("cleo", written) is Vote.NONE
    link = f'<a href="{written.get_absolute_url()}">Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;</a>'
    assert confirm(window, address) == [f"Your vote was counted: {link}"]
    assert vote_of("cleo", written) is Vote.UP


def test_confirming_a_vote_on_a_comment_shows_the_comment(ada: User, written: Post) -> None:
    comment = comment_actions.write(author=ada, post=written, parent=None, body="Hm, well.")
    window = reader()
    address = enter(window, vote="down", post=written.pk, comment=comment.pk)
    page = window.get(address).content.decode()
    assert "Vote this down?" in page
    assert "Hm, well." in page
    (message,) = confirm(window, address)
    assert f'<a href="{comment.get_absolute_url()}">' in message


@pytest.mark.parametrize(("follow", "name"), [("u/ada", "ada"), ("g/books", "Books")])
@pytest.mark.parametrize("entrance", [log_in, sign_up])
def test_a_guests_follow_is_done_after_confirmation(
    ada: User, entrance: Any, follow: str, name: str
) -> None:
    groups("books")
    window = reader()
    form = window.get("/accounts/login/", {"follow": follow}).content.decode()
    assert f'<input type="hidden" name="follow" value="{follow}">' in form
    address = enter(window, entrance, follow=follow)
    assert f">{name}</a>" in window.get(address).content.decode()
    assert followed() == set()
    assert "You now follow <a href=" in confirm(window, address)[0]
    assert followed() == {name}


def test_declining_does_nothing_and_is_final(written: Post) -> None:
    for pending in ({"vote": "up", "post": str(written.pk)}, {"follow": "u/ada"}):
        window = reader()
        address = enter(window, **pending)
        assert confirm(window, address, "no") == []
        assert confirm(window, address) == []
    assert vote_of("cleo", written) is Vote.NONE
    assert followed() == set()


def test_no_message_if_the_vote_is_visible(written: Post) -> None:
    for vote, back in (("up", f"/#post-{written.pk}"), ("none", "/new")):
        window = reader()
        assert confirm(window, enter(window, vote=vote, post=written.pk, next=back)) == []


def test_a_pending_action_is_not_done_for_the_next_person_in_the_browser(written: Post) -> None:
    window = reader()
    person("dina", is_active=False)
    log_in("dina", window, vote="up", post=str(written.pk))
    assert enter(window) == "/new"
    assert is_in(window)
    window.post(CONFIRM, {"answer": "yes"})
    assert vote_of("cleo", written) is Vote.NONE


@pytest.mark.parametrize(
    "pending",
    [
        *({"vote": "up", "post": text} for text in ("", "x", "-1", "9" * 40, "999999999")),
        *({"follow": text} for text in ("g/gone", "u/nobody", "x/ada", "u/", "g/a\x00b")),
        {"follow": "u/" + "a" * 300},
    ],
)
def test_an_invalid_pending_action_does_not_stop_log_in(ada: User, pending: dict[str, str]) -> None:
    window = reader()
    assert window.get("/accounts/login/", pending).status_code == 200
    address = enter(window, **pending)
    assert window.get(address, follow=True).status_code == 200
    assert is_in(window)


def test_nobody_is_asked_to_follow_themselves() -> None:
    window = reader()
    assert window.get(enter(window, follow="u/cleo"))["Location"] == "/new"


def closed(written: Post, redis: Redis) -> None:
    make_older(redis, written, days=8)


def deleted(written: Post, _redis: Redis) -> None:
    post_actions.delete(written)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (closed, "Voting closed on "),
        (deleted, "The vote or follow is no longer possible, so nothing was saved."),
    ],
)
def test_a_vote_that_is_no_longer_possible_is_explained(
    written: Post, redis: Redis, event: Callable[[Post, Redis], None], message: str
) -> None:
    event(written, redis)
    window = reader()
    (shown,) = confirm(window, enter(window, vote="up", post=written.pk))
    assert shown.startswith(message)


def test_a_vote_while_redis_is_down_is_explained(written: Post, settings: Any) -> None:
    window = reader()
    with redis_down(settings):
        messages = confirm(window, enter(window, vote="up", post=written.pk))
    assert any("Your vote was not counted" in message for message in messages)
    assert vote_of("cleo", written) is Vote.NONE


def test_the_confirmation_needs_a_log_in_and_redirects_only_within_the_site(ada: User) -> None:
    for elsewhere in ("https://evil.example/", "//evil.example/", "javascript:x"):
        assert reader(ada).get(CONFIRM, {"next": elsewhere})["Location"] == "/"
    assert "/accounts/login/" in reader().get(CONFIRM)["Location"]


def test_a_wrong_password_does_nothing_and_keeps_the_action(written: Post) -> None:
    person("cleo")
    answer = log_in("cleo", password="wrong", vote="up", post=str(written.pk))
    assert '<input type="hidden" name="vote" value="up">' in answer.content.decode()
    assert vote_of("cleo", written) is Vote.NONE


def test_buttons_pressed_after_the_session_ended_are_carried_too(written: Post) -> None:
    groups("books")
    answer = reader().post("/g/books/follow", {"on": "1", "next": "/g/books/"})
    assert answer["Location"] == "/accounts/login/?next=/g/books/&follow=g/books"
    answer = reader().post(f"/p/{written.pk}/vote", {"vote": "down", "next": "/new"})
    back = f"next=/new%23post-{written.pk}"
    assert answer["Location"] == f"/accounts/login/?{back}&vote=down&post={written.pk}"


@pytest.mark.parametrize(
    ("vote", "entrance", "reason"),
    [
        ("up", "login", "Log in to vote on:"),
        ("down", "login", "Log in to vote on:"),
        ("none", "login", "Log in to remove your vote on:"),
        ("up", "signup", "Sign up to vote on:"),
        ("none", "signup", ""),
        ("sideways", "login", ""),
    ],
)
def test_log_in_names_the_post_to_vote_on(
    written: Post, vote: str, entrance: str, reason: str
) -> None:
    query = f"next=/&vote={vote}&post={written.pk}"
    page = reader().get(f"/accounts/{entrance}/?{query}").content.decode()
    shown = f'{reason} <b dir="auto">Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;</b>'
    assert re.findall('<p class="notice">(.*?)</p>', page) == ([shown] if reason else [])
