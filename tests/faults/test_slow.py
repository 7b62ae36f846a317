"""Pages and votes while Redis replies slowly."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core.cache import cache
from django.core.management import execute_from_command_line
from django.test import Client

from forum.models import Post
from forum.operations.repair.check import differences
from forum.store.service import PATIENCE, get_voting_service
from tests.forum.factories import person, post, reader
from tests.patience import no_time_passing, people_waiting
from tests.voting.relays import Relay, relay, server_socket
from tests.waiting import until
from voting.types import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]
SLOW, SLOWER, TOO_SLOW = 0.1, 0.8, 20
"""Seconds by which Redis replies are delayed. Pages wait for the first delay only."""
RESTING = "Voting and rankings are temporarily unavailable"


@pytest.fixture
def way(settings: Any) -> Iterator[Relay]:
    """A relay (proxy) between the site and Redis, with which a test can delay Redis's replies."""
    if not site_settings.EMBEDDED:
        pytest.skip("needs the socket of a Valkey of its own")
    with relay(server_socket()) as through:
        settings.REDIS_URL = through.url
        cache = settings.CACHES["default"] | {"LOCATION": through.url.replace("db=0", "db=1")}
        settings.CACHES = {"default": cache}
        get_voting_service.cache_clear()
        yield through
        through.delay = 0
    get_voting_service.cache_clear()


@pytest.fixture
def written(way: Relay) -> Post:
    return post(person("ada"), "Knots")


@pytest.fixture
def bob(written: Post) -> Client:
    browser = reader(person("bob"))
    browser.get("/")
    return browser


def test_pages_wait_for_a_slow_redis(way: Relay, written: Post, bob: Client) -> None:
    """The test repeats failed requests, because a busy machine may delay a reply for too long."""
    way.delay = SLOW
    with people_waiting():
        until(lambda: RESTING not in bob.get("/").content.decode(), "pages come as ever")
        until(lambda: bob.post(f"/p/{written.pk}/vote", {"vote": "up"}).status_code == 303, "votes")
        until(lambda: get_voting_service().posts.rows([written.pk])[0].up == 2, "it counts")


def test_pages_do_without_a_redis_that_is_too_slow(way: Relay, written: Post, bob: Client) -> None:
    way.delay = TOO_SLOW
    with people_waiting(), no_time_passing(), way.counting():
        for _ in range(5):
            page = bob.get("/")
            assert page.status_code == 200
            assert "Knots" in page.content.decode()
            assert RESTING in page.content.decode()
        assert way.round_trips <= 3, "one page waits for it, the others don't ask"
    way.delay = 0
    until(lambda: RESTING not in bob.get("/").content.decode(), "the notice goes by itself")


def test_vote_refused_for_slowness_counts_once_when_repeated(
    way: Relay, written: Post, bob: Client
) -> None:
    address = f"/p/{written.pk}/vote"
    way.delay = TOO_SLOW
    with people_waiting():
        response = bob.post(address, {"vote": "up"})
    assert response.status_code == 503
    assert "Your vote was not counted" in response.content.decode()
    way.delay = 0
    until(lambda: bob.post(address, {"vote": "up"}).status_code == 303, "votes are taken again")
    (row,) = get_voting_service().posts.rows([written.pk], viewer=int(bob.session["_auth_user_id"]))
    assert (row.up, row.vote) == (2, Vote.UP)
    assert list(differences()) == []


def test_lost_replies_lose_and_double_no_vote(way: Relay, written: Post, bob: Client) -> None:
    """Redis counts the vote, then the connection breaks. The voter sees a 503 and votes again."""
    address = f"/p/{written.pk}/vote"
    way.losing_replies = True
    assert bob.post(address, {"vote": "down"}).status_code == 503
    way.losing_replies = False
    until(lambda: bob.post(address, {"vote": "down"}).status_code == 303, "votes are taken again")
    (row,) = get_voting_service().posts.rows([written.pk])
    assert (row.up, row.down) == (1, 1)
    assert list(differences()) == []


def test_command_at_a_terminal_waits_longer_than_a_page(
    way: Relay, written: Post, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    get_voting_service.cache_clear()
    way.delay = SLOWER
    cache.set("kept", "in the cache")
    assert cache.get("kept") == "in the cache", "or votes would not be asked for in the next second"
    monkeypatch.delenv(PATIENCE)  # remove the tests' long timeout: the command must set its own
    execute_from_command_line(["manage.py", "check_voting"])
    assert "Redis and SQL agree on all 1 posts." in capsys.readouterr().out
