"""A person mutes words and domains, and matching posts disappear from that person's lists."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from forum.actions import mutes
from forum.actions.mutes import MOST
from forum.models import Mute, User
from tests.forum.factories import post, reader

pytestmark = pytest.mark.django_db(transaction=True)
Kind = Mute.Kind


def send(window: Client, text: str, kind: Kind = Kind.WORD) -> Any:
    return window.post("/preferences/mutes", {"kind": kind.value, "text": text})


def listed(window: Client, path: str = "/new") -> str:
    return str(window.get(path).content.decode())


def test_post_with_muted_word_disappears_from_own_lists_only(ada: User, bob: User) -> None:
    written = post(ada, "New crypto coins")
    post(ada, "A cryptic novel")
    window = reader(bob)
    assert "New crypto coins" in listed(window)
    assert send(window, "Crypto").status_code == 303
    for path in ("/", "/new", "/g/books/"):
        html = listed(window, path)
        assert "New crypto coins" not in html
        assert "A cryptic novel" in html
        assert "1 post on this page is hidden" in html
    assert "New crypto coins" in listed(window, written.get_absolute_url())
    assert "New crypto coins" in listed(reader())


def test_post_that_links_to_muted_domain_disappears(ada: User, bob: User) -> None:
    post(ada, "Below", kind="link", url="https://www.blog.spam.example/page", body="")
    post(ada, "Beside", kind="link", url="https://notspam.example/page", body="")
    window = reader(bob)
    send(window, "https://Spam.example/", Kind.DOMAIN)
    html = listed(window)
    assert "Below" not in html
    assert "Beside" in html


def test_chinese_word_is_found_inside_a_title(ada: User, bob: User) -> None:
    post(ada, "今天免费领取礼品")
    window = reader(bob)
    send(window, "免费")
    assert "今天免费领取礼品" not in listed(window)


def test_page_on_which_everything_is_muted_says_so(ada: User, bob: User) -> None:
    post(ada, "Crypto")
    window = reader(bob)
    send(window, "crypto")
    html = listed(window)
    assert "1 post on this page is hidden" in html
    assert "Nothing here yet" not in html


def test_own_post_is_always_listed(ada: User) -> None:
    post(ada, "Crypto")
    window = reader(ada)
    send(window, "crypto")
    assert "Crypto</a>" in listed(window)


def test_unmuted_word_is_listed_again(ada: User, bob: User) -> None:
    post(ada, "Crypto")
    window = reader(bob)
    send(window, "crypto")
    muted = bob.mutes.get()
    for _time in range(2):
        assert window.post("/preferences/mutes", {"unmute": muted.pk}).status_code == 303
        assert "Crypto" in listed(window)


def test_nobody_can_unmute_for_others(ada: User, bob: User) -> None:
    mutes.mute(bob, Kind.WORD, "crypto")
    reader(ada).post("/preferences/mutes", {"unmute": bob.mutes.get().pk})
    assert bob.mutes.exists()


def test_muting_twice_changes_nothing(bob: User) -> None:
    for text in ("crypto", " CRYPTO "):
        assert send(reader(bob), text).status_code == 303
    assert bob.mutes.get().text == "crypto"


@pytest.mark.parametrize(("text", "kind"), [("*", Kind.WORD), ("no domain", Kind.DOMAIN)])
def test_nonsense_is_refused(bob: User, text: str, kind: Kind) -> None:
    refused = send(reader(bob), text, kind)
    assert refused.status_code == 422
    assert text in refused.content.decode()
    assert not bob.mutes.exists()


def test_number_of_mutes_is_limited(bob: User) -> None:
    Mute.objects.bulk_create(
        Mute(user=bob, kind=Kind.WORD, text=f"word {number}") for number in range(MOST)
    )
    assert send(reader(bob), "one more").status_code == 422


def test_guest_is_asked_to_log_in() -> None:
    assert send(reader(), "crypto").status_code == 302
    assert reader().get("/preferences/mutes").status_code == 302


def test_mutes_cost_lists_no_query(ada: User, bob: User) -> None:
    post(ada, "Crypto")
    Mute.objects.create(user=bob, kind=Kind.WORD, text="crypto")
    window = reader(bob)
    window.get("/new")
    with CaptureQueriesContext(connection) as queries:
        window.get("/new")
    assert len(queries) == 0
