"""One cache read loads the session and the viewer; a ban or new password ends sessions at once."""

from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from redis import Redis

from forum.models import User
from forum.models.user import viewer_key
from tests.forum.concurrency import after_query
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
PASSWORD = "a-long-password-of-ada"


@pytest.fixture
def ada() -> User:
    found = person("ada")
    found.set_password(PASSWORD)
    found.save()
    cache.delete(viewer_key(found.pk))
    return found


@pytest.fixture
def window(ada: User) -> Client:
    client = Client()
    form = {"login": "ada", "password": PASSWORD}
    assert client.post("/accounts/login/", form).status_code == 302
    return client


def reads(window: Client) -> dict[str, int]:
    """Request a page, and return how many GET and MGET commands the cache received."""
    plain = Redis.from_url(settings.CACHE_URL)
    plain.config_resetstat()
    assert 'href="/u/ada/"' in window.get("/about").content.decode()
    found = plain.info("commandstats")
    return {
        name.removeprefix("cmdstat_"): found[name]["calls"]
        for name in ("cmdstat_get", "cmdstat_mget")
        if name in found
    }


def test_one_read_of_the_cache_returns_session_and_viewer(window: Client, ada: User) -> None:
    assert window.cookies["sessionid"].value.startswith(f"{ada.pk}-")
    assert len(window.cookies["sessionid"].value) <= 40
    window.get("/about")
    assert reads(window) == {"mget": 1}


def test_session_is_kept_after_a_loss_of_the_cache(window: Client) -> None:
    cache.clear()
    assert 'href="/u/ada/"' in window.get("/about").content.decode()


def test_a_banned_person_is_a_guest_at_once(window: Client, ada: User) -> None:
    window.get("/about")
    ada.is_active = False
    ada.save()
    assert 'href="/u/ada/"' not in window.get("/about").content.decode()


def test_a_ban_during_a_request_is_not_undone_by_its_cached_viewer(
    window: Client, ada: User
) -> None:
    cache.clear()
    window.get("/about")
    cache.delete(viewer_key(ada.pk))

    def ban() -> None:
        ada.is_active = False
        ada.save()

    with after_query('"forum_user"', ban):
        window.get("/about")
    assert 'href="/u/ada/"' not in window.get("/about").content.decode()


def test_a_changed_password_ends_other_sessions_at_once(window: Client, ada: User) -> None:
    window.get("/about")
    ada.set_password("another-long-password")
    ada.save()
    assert 'href="/u/ada/"' not in window.get("/about").content.decode()


def test_without_redis_a_process_caches_no_sessions(settings: Any) -> None:
    with redis_down(settings):
        assert not cache.add("a session", "hers")
    assert cache.get("a session") is None


def test_a_forged_session_key_is_a_guests(ada: User) -> None:
    stranger = Client()
    stranger.cookies["sessionid"] = f"{ada.pk}-{'x' * 28}"
    assert 'href="/u/ada/"' not in stranger.get("/about").content.decode()


@pytest.mark.parametrize("path", ["/", "/submit", "/accounts/login/"])
def test_a_session_key_with_odd_characters_is_a_guests(path: str) -> None:
    """PostgreSQL raises an error for some characters, so the site must not search for the key."""
    answer = Client().get(path, headers={"Cookie": 'sessionid="5-abcdefgh\\000"'})
    assert answer.status_code == (302 if path == "/submit" else 200)
    assert answer.cookies["sessionid"].value == ""


def test_a_viewer_cached_by_another_version_is_read_from_sql(window: Client, ada: User) -> None:
    window.get("/about")
    key = viewer_key(ada.pk)
    cache.set(key, cache.get(key)[1:])
    assert 'href="/u/ada/"' in window.get("/about").content.decode()


@pytest.mark.parametrize(
    ("sent", "fields"),
    [
        ("/p/{}/watch", {"on": "1"}),
        ("/p/{}/accept", {"comment": ""}),
        ("/p/{}/save", {"on": "1"}),
        ("/u/bob/block", {"on": "1"}),
        ("/inbox/read", {"kind": "all"}),
        ("/history/setting/hides_read", {"on": "1"}),
    ],
)
def test_button_pressed_after_the_session_ended_returns_to_its_page(
    ada: User, bob: User, sent: str, fields: dict[str, str]
) -> None:
    written, window = post(bob), reader()
    answer = window.post(sent.format(written.pk), fields | {"next": "/new?p=1"})
    assert answer.status_code == 302
    entered = window.post(answer["Location"], {"login": "ada", "password": PASSWORD}, follow=True)
    assert entered.redirect_chain[-1] == ("/new?p=1", 302)
    assert entered.status_code == 200
