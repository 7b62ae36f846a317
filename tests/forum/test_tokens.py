"""Forms against forgery: what a page's token is good for, and what it gives away."""

import re
from collections import Counter

import pytest
from django.http import HttpRequest
from django.middleware import csrf
from django.test import Client

from forum.pages.tokens import token
from tests.forum.cast import PASSWORD, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]*)"')


def token_of(window: Client, path: str) -> str:
    found = TOKEN.search(window.get(path).content.decode())
    assert found
    return found[1]


@pytest.fixture
def window() -> Client:
    """A browser at a site that checks tokens, as people have it, with Bob logged in."""
    person("bob")
    client = reader(enforce_csrf_checks=True)
    form = {"csrfmiddlewaretoken": token_of(client, "/accounts/login/"), "password": PASSWORD}
    assert client.post("/accounts/login/", {"login": "bob", **form}).status_code == 302
    return client


@pytest.mark.parametrize("page", ["/", "/submit", "/preferences"])
def test_a_vote_counts_with_the_token_of_any_page_and_with_no_other(
    window: Client, page: str
) -> None:
    path = f"/p/{post(person('ada')).pk}/vote"
    right = token_of(window, page)
    wrong = right[:-1] + ("a" if right[-1] == "b" else "b")
    for given, status in ((right, 303), (wrong, 403), ("", 403)):
        answer = window.post(path, {"vote": "up", "csrfmiddlewaretoken": given})
        assert answer.status_code == status


def test_every_page_has_another_token_and_the_cookie_comes_once(window: Client) -> None:
    assert len({token_of(window, "/") for _ in range(5)}) == 5
    assert "csrftoken" in window.cookies
    assert "csrftoken" not in window.get("/").cookies
    assert "csrftoken" not in window.get("/submit").cookies


def test_a_member_who_lost_the_cookie_gets_another(window: Client) -> None:
    written, lost = post(person("ada")), window.cookies["csrftoken"].value
    del window.cookies["csrftoken"]
    given = token_of(window, "/")
    assert window.cookies["csrftoken"].value != lost
    form = {"vote": "up", "csrfmiddlewaretoken": given}
    assert window.post(f"/p/{written.pk}/vote", form).status_code == 303


def test_tokens_hide_the_secret_behind_letters_that_are_all_alike_likely() -> None:
    request, secret = HttpRequest(), "aZ09" * 8
    request.META["CSRF_COOKIE"] = secret
    tokens = [token(request) for _ in range(2_000)]
    unmasked = csrf._unmask_cipher_token  # type: ignore[attr-defined]
    assert {unmasked(one) for one in tokens} == {secret}
    for half in (slice(0, 32), slice(32, 64)):
        letters = Counter("".join(one[half] for one in tokens))
        assert set(letters) == set(csrf.CSRF_ALLOWED_CHARS)
        expected = 32 * 2_000 / len(csrf.CSRF_ALLOWED_CHARS)
        assert all(0.75 < seen / expected < 1.25 for seen in letters.values()), "8 deviations"
