"""Accounts: signing up, logging in and out, and what happens when something is wrong."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib.messages.storage.cookie import CookieStorage
from django.test import Client, RequestFactory

from forum.accounts.adapter import AccountAdapter
from forum.models import User
from tests.forum.factories import PASSWORD, emailed_path, person, person_with_email, reader
from tests.forum.outages import redis_down

pytestmark = pytest.mark.django_db


def sign_up(name: str, window: Client | None = None, **more: str) -> Any:
    form = {"username": name, "password1": PASSWORD} | more
    return (window or reader()).post("/accounts/signup/", form)


def log_in(name: str, window: Client | None = None, password: str = PASSWORD, **more: str) -> Any:
    form = {"login": name, "password": password} | more
    return (window or reader()).post("/accounts/login/", form)


def is_in(window: Client) -> bool:
    return "_auth_user_id" in window.session


def test_signing_up_takes_a_user_name_and_one_password() -> None:
    window = reader()
    response = sign_up("ada", window)
    assert response.status_code == 302
    assert is_in(window)
    assert User.objects.get().email == ""


def test_a_new_person_gets_a_welcome_message_once() -> None:
    window = reader()
    first = window.get(sign_up("ada", window)["Location"]).content.decode()
    assert "Welcome, ada." in first
    assert '<a href="/g/">See all groups</a>' in first
    assert "Welcome, ada." not in window.get("/").content.decode()


@pytest.mark.parametrize("name", ["ada", "Ada-L_1", "0x", "a" * 30])
def test_these_user_names_are_allowed(name: str) -> None:
    sign_up(name)
    assert User.objects.get().username == name


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "a" * 31,
        "ada lovelace",
        "ada@home",
        "ada.l",
        "-ada",
        "_ada",
        "adä",
        "a/b",
        "Admin",
        "root",
    ],
)
def test_these_user_names_are_refused_and_the_form_stays_filled_in(name: str) -> None:
    response = sign_up(name)
    assert response.status_code == 200
    assert f'value="{name}"' in response.content.decode()
    assert 'id="id_username_error"' in response.content.decode()
    assert "For your security, enter your password again." in response.content.decode()
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["admin", "Moderator", "STAFF", "support", "system"])
def test_reserved_user_names_are_refused(name: str) -> None:
    assert "That user name is reserved." in sign_up(name).content.decode()
    assert not User.objects.exists()


def test_a_user_name_is_unique_in_any_case() -> None:
    person("ada")
    assert "That user name is taken." in sign_up("ADA").content.decode()


def test_an_email_address_that_has_an_account_is_refused() -> None:
    ada = person_with_email("ada")
    refused = sign_up("bob", email="ada@example.org").content.decode()
    assert "An account with that email address already exists." in refused
    form = {"email": "ada@example.org", "action_add": ""}
    again = reader(ada).post("/accounts/email/", form).content.decode()
    assert "You have already added that email address." in again
    assert User.objects.count() == 1


def test_the_sign_up_form_says_how_short_a_password_may_be(settings: Any) -> None:
    assert "At least 8 characters" in reader().get("/accounts/signup/").content.decode()
    check = "django.contrib.auth.password_validation.MinimumLengthValidator"
    settings.AUTH_PASSWORD_VALIDATORS = [{"NAME": check, "OPTIONS": {"min_length": 12}}]
    assert "At least 12 characters" in reader().get("/accounts/signup/").content.decode()
    page = sign_up("ada", password1="x" * 11).content.decode()
    assert "This password is too short. It must contain at least 12 characters." in page
    assert not User.objects.exists()
    assert sign_up("ada", password1="x" * 12).status_code == 302


def test_a_long_password_is_accepted() -> None:
    longest = "correct horse " * 10_000
    assert sign_up("ada", password1=longest).status_code == 302
    assert log_in("ada", password=longest).status_code == 302


@pytest.mark.parametrize("login", ["ada", "ADA", "ada@example.org"])
def test_people_log_in_by_user_name_or_email_address(login: str) -> None:
    person_with_email("ada")
    window = reader()
    assert log_in(login, window).status_code == 302
    assert is_in(window)


def test_a_wrong_password_does_not_reveal_whether_the_account_exists() -> None:
    person("ada")
    pages = [log_in(name, password="wrong").content.decode() for name in ("ada", "nobody")]
    for page in pages:
        assert "Wrong user name or password." in page


def test_people_log_in_and_sign_up_without_redis(settings: Any) -> None:
    person("ada")
    with redis_down(settings):
        for entrance, name in ((log_in, "ada"), (sign_up, "bob")):
            window = reader()
            assert entrance(name, window).status_code == 302
            assert is_in(window)


def test_password_guessing_is_stopped_without_redis(settings: Any) -> None:
    person("eve")
    with redis_down(settings):
        for _attempt in range(5):
            log_in("eve", password="wrong")
        page = log_in("eve").content.decode()
    assert "Too many failed log-in attempts. Please wait five minutes" in page


def test_too_many_requests_for_a_new_password_get_the_sites_own_error_page() -> None:
    for attempt in range(20):
        reader().post("/accounts/password/reset/", {"email": f"a{attempt}@example.org"})
    response = reader().post("/accounts/password/reset/", {"email": "b@example.org"})
    assert response.status_code == 429
    assert "Please try again in a few minutes." in response.content.decode()


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/"])
def test_next_is_kept_in_the_form_and_in_the_link_to_the_other_form(path: str) -> None:
    page = reader().get(f"{path}?next=/g/books/").content.decode()
    assert '<input type="hidden" name="next" value="/g/books/">' in page
    assert re.search(r'href="/accounts/(signup|login)/\?next=(/|%2F)g(/|%2F)books(/|%2F)"', page)


def test_log_in_redirects_to_next() -> None:
    person("ada")
    assert log_in("ada", next="/g/books/")["Location"] == "/g/books/"
    for elsewhere in ("https://evil.example/", "//evil.example/", "http://[#", "javascript:x"):
        assert log_in("ada", next=elsewhere)["Location"] == "/"


def test_logging_out_needs_a_post() -> None:
    window = reader(person("ada"))
    html = window.get("/accounts/logout/").content.decode()
    assert "Log out?" in html
    assert '<a class="button quiet" href="/">Stay logged in</a>' in html
    assert is_in(window)
    assert window.post("/accounts/logout/").status_code == 302
    assert not is_in(window)


@pytest.mark.parametrize("page", ["/", "/g/books/?p=1", "/u/ada/", "/leaders", "/accounts/login/"])
def test_logging_out_returns_to_a_public_page(page: str) -> None:
    window = reader(person("ada"))
    assert window.post("/accounts/logout/", {"next": page})["Location"] == page
    assert not is_in(window)


@pytest.mark.parametrize(
    "page",
    [
        *("/preferences", "/inbox?kind=reply", "/submit", "/following", "/history", "/p/1/edit"),
        *("/u/ada/saved", "/accounts/email/", "/admin/", "/nowhere", "https://elsewhere.org/"),
    ],
)
def test_logging_out_of_a_private_page_redirects_to_the_front_page(page: str) -> None:
    window = reader(person("ada"))
    assert window.post("/accounts/logout/", {"next": page})["Location"] == "/"


def test_a_forgotten_password_is_reset_by_email() -> None:
    person_with_email("ada")
    window = reader()
    window.post("/accounts/password/reset/", {"email": "ada@example.org"})
    page = window.get(emailed_path(), follow=True)
    fresh = "an even longer sentence"
    form = {"password1": fresh, "password2": fresh}
    done = window.post(page.redirect_chain[-1][0], form, follow=True).content.decode()
    assert "<h1>Your password was changed</h1>" in done
    assert 'class="notice' not in done, "the message is shown once"
    assert '<a class="button primary" href="/accounts/login/">Log in</a>' in done
    assert "This link no longer works" in window.get(emailed_path(), follow=True).content.decode()
    assert log_in("ada", password=fresh).status_code == 302


def test_page_after_a_forgotten_password_does_not_reveal_unknown_addresses() -> None:
    window = reader()
    response = window.post("/accounts/password/reset/", {"email": "who@example.org"})
    assert response.status_code == 302
    html = window.get(response["Location"]).content.decode()
    assert "If an account uses this address" in html
    assert 'href="/accounts/login/"' in html


def test_changing_the_password_needs_the_current_one() -> None:
    window = reader(person("ada"))
    path = "/accounts/password/change/"
    fresh = {"password1": "an even longer sentence", "password2": "an even longer sentence"}
    window.post(path, {"oldpassword": "wrong"} | fresh)
    assert log_in("ada").status_code == 302
    response = window.post(path, {"oldpassword": PASSWORD} | fresh, follow=True)
    assert "Your password was changed." in response.content.decode()
    assert log_in("ada", password="an even longer sentence").status_code == 302


@pytest.mark.parametrize(
    "path",
    ["email/", "password/change/", "2fa/", "logout/", "password/reset/", "reauthenticate/"],
)
def test_every_page_of_an_account_looks_like_the_site(path: str) -> None:
    page = reader(person("ada")).get(f"/accounts/{path}", follow=True).content.decode()
    assert '<header class="site-head">' in page
    assert '<form class="stack"' in page or 'class="panel"' in page
    assert "style=" not in page
    assert "placeholder=" not in page.partition("<main")[2], "labels replace placeholders"


@pytest.mark.parametrize(
    ("path", "hints"),
    [
        ("login/", ["username", "current-password"]),
        ("signup/", ["username", "email", "new-password", "off"]),
        ("password/reset/", ["email"]),
    ],
)
def test_form_fields_have_autocomplete_hints(path: str, hints: list[str]) -> None:
    page = reader().get(f"/accounts/{path}").content.decode()
    assert re.findall(r'autocomplete="([a-z-]+)"', page) == hints


def test_only_one_of_two_people_gets_a_name_taken_at_once() -> None:
    request = RequestFactory().post("/accounts/signup/?next=/submit")
    request._messages = CookieStorage(request)  # type: ignore[attr-defined]
    form = SimpleNamespace(cleaned_data={"username": "ada", "password1": PASSWORD})
    person("ada")
    with pytest.raises(ImmediateHttpResponse) as answer:
        AccountAdapter(request).save_user(request, User(), form)  # type: ignore[arg-type]
    assert answer.value.response["Location"] == "/accounts/signup/?next=/submit"
    assert "just taken" in str(next(iter(request._messages)))  # type: ignore[attr-defined]


def test_an_inactive_account_cannot_log_in_and_reads_why() -> None:
    person("ada", is_active=False)
    window = reader()
    response = log_in("ada", window)
    assert not is_in(window)
    assert (
        "The moderators have disabled this account, so you can"
        in window.get(response["Location"]).content.decode()
    )


def test_the_email_page_offers_only_possible_actions() -> None:
    ada = person_with_email("ada")
    window = reader(ada)
    html = window.get("/accounts/email/").content.decode()
    assert ("Send my email to this address" in html, "Resend confirmation" in html) == (
        False,
        False,
    )
    EmailAddress.objects.create(user=ada, email="a@example.org", verified=False)
    html = window.get("/accounts/email/").content.decode()
    for button in ("Send my email to this address", "Resend confirmation"):
        assert button in html
