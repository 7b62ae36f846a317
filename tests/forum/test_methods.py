"""Every URL accepts its allowed HTTP methods, and answers all other methods with status 405."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern

from forum.models import User
from forum.urls import urlpatterns
from forum.web.methods import FORM, PAGE
from tests.forum.factories import reader

pytestmark = pytest.mark.django_db
FOREIGN = ["PUT", "PATCH", "DELETE", "BREW"]
KNOWN = {", ".join(PAGE), ", ".join(FORM), "POST"}
OURS = [one for one in urlpatterns if isinstance(one, URLPattern)]
GIVEN = {"id": "1", "str": "x", "order": "new", "day": "2026-11-24", "week": "2026-W47"}


def addresses() -> list[str]:
    """Return an example of each URL in `forum.urls`, without the URLs of included modules."""
    routes = [str(one.pattern) for one in OURS]
    return ["/" + re.sub(r"<(\w+):\w+>", lambda one: GIVEN[one[1]], route) for route in routes]


@pytest.fixture
def window(bob: User) -> Client:
    """Bob's browser on a site that checks CSRF tokens."""
    return reader(bob, enforce_csrf_checks=True)


def ask(window: Client, method: str, path: str) -> Any:
    return window.generic(method, path)


@pytest.mark.parametrize("method", FOREIGN)
@pytest.mark.parametrize(
    ("path", "allowed", "sentence"),
    [
        ("/", "GET, HEAD", "You can open the page, but you can&#x27;t send anything to it."),
        ("/submit", "GET, HEAD, POST", "You can only open the page or submit its form."),
        ("/p/1/vote", "POST", "This URL only receives submitted forms."),
        ("/accounts/login/", "GET, HEAD, POST", "or submit its form"),
        ("/admin/login/", "GET, HEAD, POST", "or submit its form"),
    ],
)
def test_an_unknown_method_gets_405_with_the_allowed_ones(
    method: str, path: str, allowed: str, sentence: str
) -> None:
    answer = ask(reader(enforce_csrf_checks=True), method, path)
    assert (answer.status_code, answer["Allow"]) == (405, allowed)
    assert sentence in answer.content.decode()


def test_every_address_answers_405_to_members_too(window: Client) -> None:
    answers = {path: ask(window, "DELETE", path) for path in addresses()}
    assert {path for path, answer in answers.items() if answer.status_code != 405} == set()
    assert {answer["Allow"] for answer in answers.values()} == KNOWN


def test_every_view_declares_its_methods() -> None:
    views = {one.name: one.callback for one in OURS}
    silent = {name for name, view in views.items() if not hasattr(view, "methods")}
    accounts = {"account_login", "account_signup", "account_logout", "account_email"}
    accounts |= {"account_set_password"}
    factors = {"mfa_activate_totp", "mfa_add_webauthn", "mfa_reauthenticate_webauthn"}
    providers = {"openid_connect_login", "socialaccount_signup"}
    assert silent == accounts | factors | providers, "the library's"


@pytest.mark.parametrize("path", ["/", "/submit", "/p/1/vote", "/accounts/login/"])
def test_a_form_without_a_token_is_refused(window: Client, path: str) -> None:
    for someone in (window, reader(enforce_csrf_checks=True)):
        assert ask(someone, "POST", path).status_code == 403


def test_an_unknown_address_is_404_for_every_method(window: Client) -> None:
    for method in FOREIGN:
        assert ask(window, method, "/nowhere").status_code == 404


def test_script_gets_only_the_message(window: Client) -> None:
    answer = window.put("/p/1/vote", headers={"X-Fragment": "1"})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert answer["Content-Type"].startswith("text/plain")
