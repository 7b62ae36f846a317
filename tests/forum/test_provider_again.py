"""People confirm who they are at an OpenID Connect provider before a sensitive change."""

from typing import Any
from urllib.parse import urlencode

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from forum.models import FeedKey, User
from tests.forum.oidc import Provider, log_in, log_in_again, signed_up

pytestmark = pytest.mark.django_db(transaction=True)
OTHERS, AGAIN = "/accounts/3rdparty/", "/accounts/reauthenticate/provider/"


def test_person_with_a_provider_only_confirms_there_who_they_are(school: Provider) -> None:
    window, _answer = signed_up(school)
    asked = window.post("/preferences/feeds")["Location"]
    assert asked == f"{AGAIN}?next=%2Fpreferences%2Ffeeds"
    page = window.get(asked).content.decode()
    assert "Log in again at the other site to continue." in page
    assert not FeedKey.objects.exists()
    answer = log_in_again(window, school, asked)
    assert school.asked["prompt"] == "login"
    assert 'value="http://localhost:8000/feeds/' in answer.content.decode(), "the form was sent"
    assert window.get("/accounts/2fa/totp/activate/").status_code == 200, "asked once only"


@pytest.mark.parametrize(
    ("method", "path", "form"),
    [
        ("post", "/preferences/tokens", {"name": "Phone", "scopes": ["read"]}),
        ("post", "/preferences/data", {}),
        ("post", "/preferences/delete-account", {}),
        ("post", "/accounts/email/", {"action_add": "", "email": "new@example.org"}),
        ("get", "/accounts/2fa/totp/activate/", {}),
        ("get", "/accounts/2fa/webauthn/add/", {}),
    ],
)
def test_provider_is_asked_before_each_sensitive_change(
    school: Provider, method: str, path: str, form: dict[str, Any]
) -> None:
    window, _answer = signed_up(school)
    answer = getattr(window, method)(path, form)
    assert answer["Location"] == f"{AGAIN}?{urlencode({'next': path})}"


def test_account_of_somebody_else_confirms_nothing(school: Provider) -> None:
    window, _answer = signed_up(school)
    asked = window.post("/preferences/feeds")["Location"]
    for stranger in ({"sub": "2"}, {"sub": "3"}):
        if stranger["sub"] == "3":
            school.person = stranger
            signed_up(school, "eve")
        school.person = stranger
        page = log_in_again(window, school, asked).content.decode()
        assert "That isn&#x27;t the account" in page
    assert window.session["_auth_user_id"] == str(User.objects.get(username="ada").pk)
    assert not FeedKey.objects.exists()


def test_page_for_confirming_sends_nothing_without_the_provider(school: Provider) -> None:
    window, _answer = signed_up(school)
    asked = window.post("/preferences/feeds")["Location"]
    assert window.post(asked).status_code == 405
    sent = window.post("/accounts/oidc/school/login/", {"process": "redirect", "next": asked})
    school.refuses = True
    cancelled = window.get(school.visit(sent["Location"]), follow=True).content.decode()
    assert "You cancelled the log-in." in cancelled
    assert "You are not logged in" not in cancelled
    assert not FeedKey.objects.exists()


def test_person_with_a_password_can_confirm_with_either(school: Provider, ada: User) -> None:
    SocialAccount.objects.create(user=ada, provider="school", uid="1")
    window = Client()
    log_in(window, school)
    asked = window.post("/preferences/feeds")["Location"]
    assert asked.startswith("/accounts/reauthenticate/?")
    page = window.get(asked).content.decode()
    assert "Confirm with Our school" in page
    log_in_again(window, school, f"{AGAIN}?next=%2Fpreferences%2Ffeeds")
    assert FeedKey.objects.get().user == ada


def test_account_at_a_second_provider_is_connected_after_the_first_confirmed(
    school: Provider, settings: Any
) -> None:
    club = school.app() | {"provider_id": "club", "name": "Our club", "client_id": "other"}
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"].append(club)
    window, _answer = signed_up(school)
    sent = window.post("/accounts/oidc/club/login/", {"process": "connect"})
    asked = window.get(school.visit(sent["Location"]))
    while not asked["Location"].startswith(AGAIN):
        asked = window.get(asked["Location"])
    assert log_in_again(window, school, asked["Location"])["Location"] == OTHERS
    assert set(SocialAccount.objects.values_list("provider", flat=True)) == {"school", "club"}
