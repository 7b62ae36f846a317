"""Tokens and private feeds need the password again, are announced by email, and can be revoked."""

import re
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from forum.api import tokens
from forum.feeds import keys
from forum.models import ApiToken, FeedKey, SecurityEvent, User
from tests.forum.factories import (
    PASSWORD,
    emailed_path,
    person_with_email,
    reader,
    reauthenticated_reader,
)
from tests.forum.test_second_factor import code

pytestmark = pytest.mark.django_db(transaction=True)
TOKENS, FEEDS = "/preferences/tokens", "/preferences/feeds"
FORM = {"name": "My <script>", "scopes": ["read"]}
MODERATE = {"name": "Bot", "scopes": ["moderate"]}
NEW = "an even longer sentence"
Kind = SecurityEvent.Kind


@pytest.fixture
def eve() -> User:
    """Eve, who has a confirmed email address."""
    return person_with_email("eve")


@pytest.fixture
def token(eve: User) -> str:
    """A token of Eve, who also has private feeds."""
    keys.create(eve)
    made = tokens.create(user=eve, name="My script", scopes=["read"])
    mail.outbox.clear()
    assert tokens.find(made)
    assert tokens.cached(made)
    return made


def confirm(window: Client, path: str) -> str:
    """Enter the password on the page that asks for it, and return the page that follows."""
    address = f"/accounts/reauthenticate/?next={path}"
    answer = window.post(address, {"password": PASSWORD})
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_new_token_needs_the_password_and_keeps_what_was_typed(eve: User) -> None:
    window = reader(eve)
    assert window.get(TOKENS).status_code == 200
    answer = window.post(TOKENS, FORM)
    assert answer["Location"] == "/accounts/reauthenticate/?next=%2Fpreferences%2Ftokens"
    assert not ApiToken.objects.exists()
    html = confirm(window, TOKENS)
    made = re.search(r'id="token" readonly value="([^"]+)"', html)
    assert made
    assert tokens.find(made[1])
    assert ApiToken.objects.get().name == "My <script>"


def test_new_addresses_of_feeds_need_the_password(eve: User) -> None:
    window = reader(eve)
    assert window.get(FEEDS).status_code == 200
    assert window.post(FEEDS)["Location"].startswith("/accounts/reauthenticate/")
    assert not FeedKey.objects.exists()
    assert "http://localhost:8000/feeds/" in confirm(window, FEEDS)


def test_person_is_emailed_about_a_new_token(eve: User) -> None:
    reauthenticated_reader(eve).post(TOKENS, FORM)
    letter = mail.outbox[-1]
    assert letter.to == ["eve@example.org"]
    assert "A token was created" in letter.subject
    assert "“My <script>”" in letter.body


def test_person_is_emailed_about_new_addresses_of_feeds(eve: User) -> None:
    reauthenticated_reader(eve).post(FEEDS)
    assert "Addresses of private feeds were created" in mail.outbox[-1].subject


def test_tokens_and_feeds_are_in_the_security_log(eve: User) -> None:
    window = reauthenticated_reader(eve)
    window.post(TOKENS, FORM)
    window.post(f"{TOKENS}/{ApiToken.objects.get().pk}/revoke")
    window.post(FEEDS)
    window.post(f"{FEEDS}/revoke")
    events = SecurityEvent.objects.filter(person=eve).order_by("pk")
    assert [event.kind for event in events] == [
        Kind.TOKEN_CREATED,
        Kind.TOKEN_REVOKED,
        Kind.FEEDS_CREATED,
        Kind.FEEDS_REVOKED,
    ]
    assert all(event.network for event in events)
    assert events[0].details == {"name": "My <script>"}
    assert "My &lt;script&gt;" in window.get("/preferences/security").content.decode()


def test_token_ends_after_90_days_by_default(eve: User) -> None:
    window, end = reauthenticated_reader(eve), timezone.now().date() + timedelta(days=90)
    assert f'value="{end}"' in window.get(TOKENS).content.decode()
    window.post(TOKENS, FORM | {"last_day": ""})
    assert ApiToken.objects.get().last_day == end


@pytest.mark.parametrize(("ticked", "works"), [("on", False), ("", True)])
def test_change_of_password_revokes_tokens_if_the_person_wants_so(
    eve: User, token: str, ticked: str, works: bool
) -> None:
    window = reader(eve)
    assert 'name="revoke"' in window.get("/accounts/password/change/").content.decode()
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW, "revoke": ticked}
    window.post("/accounts/password/change/", form)
    assert bool(tokens.cached(token)) is bool(tokens.find(token)) is works
    assert FeedKey.objects.exists() is works


@pytest.mark.parametrize(("ticked", "works"), [("on", False), ("", True)])
def test_reset_of_password_revokes_tokens_if_the_person_wants_so(
    eve: User, token: str, ticked: str, works: bool
) -> None:
    reader().post("/accounts/password/reset/", {"email": "eve@example.org"})
    window = reader()
    path = window.get(emailed_path())["Location"]
    assert 'name="revoke"' in window.get(path).content.decode()
    window.post(path, {"password1": NEW, "password2": NEW, "revoke": ticked})
    assert User.objects.get().check_password(NEW)
    assert bool(tokens.cached(token)) is bool(tokens.find(token)) is works
    assert FeedKey.objects.exists() is works


def test_person_without_tokens_and_feeds_is_not_asked(bob: User) -> None:
    html = reader(bob).get("/accounts/password/change/").content.decode()
    assert 'name="revoke"' not in html
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    reader(bob).post("/accounts/password/change/", form)
    assert User.objects.get().check_password(NEW)


def test_link_from_staff_to_reset_the_password_revokes_tokens_and_feeds(
    admin: Client, eve: User, token: str
) -> None:
    admin.post(f"/admin/forum/user/{eve.pk}/password/")
    assert (tokens.cached(token), tokens.find(token)) == (None, None)
    assert not FeedKey.objects.exists()


def test_new_password_by_command_revokes_tokens_and_feeds(eve: User, token: str) -> None:
    with patch("getpass.getpass", return_value=NEW):
        call_command("changepassword", "eve", verbosity=0)
    assert User.objects.get(pk=eve.pk).check_password(NEW)
    assert (tokens.cached(token), tokens.find(token)) == (None, None)
    assert not FeedKey.objects.exists()


def test_command_without_a_name_changes_the_password_of_whoever_runs_it(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "eve")
    with patch("getpass.getpass", return_value=NEW):
        call_command("changepassword", verbosity=0)
    assert User.objects.get().check_password(NEW)
    assert tokens.find(token) is None


def test_moderator_without_a_second_factor_cannot_create_a_token_that_moderates(gus: User) -> None:
    answer = reauthenticated_reader(gus).post(TOKENS, MODERATE)
    assert answer.status_code == 422
    assert 'href="/accounts/2fa/">Turn on two-factor authentication</a>' in answer.content.decode()
    assert not ApiToken.objects.exists()


@pytest.fixture
def secret(gus: User, settings: Any) -> str:
    """The secret of Gus's authenticator app."""
    settings.MFA_TOTP_TOLERANCE = 1  # seconds may pass until the code is checked
    made: str = generate_totp_secret()
    TOTP.activate(gus, made)
    return made


def test_moderator_enters_a_code_and_then_creates_a_token_that_moderates(
    gus: User, secret: str
) -> None:
    window = reauthenticated_reader(gus)
    refused = window.post(TOKENS, MODERATE).content.decode()
    address = "/accounts/2fa/reauthenticate/?next=%2Fpreferences%2Ftokens"
    assert f'<a href="{address}">Use it now</a>' in refused
    assert window.post(address, {"code": code(secret)})["Location"] == TOKENS
    assert window.post(TOKENS, MODERATE).status_code == 200
    assert ApiToken.objects.get().scopes == ["moderate"]


@pytest.mark.parametrize(("hours", "status"), [(11, 200), (13, 422)])
def test_app_that_was_just_turned_on_counts_as_used_for_12_hours(
    gus: User, settings: Any, hours: int, status: int
) -> None:
    settings.MFA_TOTP_TOLERANCE = 1  # seconds may pass until the code is checked
    window, activate = reauthenticated_reader(gus), "/accounts/2fa/totp/activate/"
    window.get(activate)
    window.post(activate, {"code": code(window.session["mfa.totp.secret"])})
    later = timezone.now() + timedelta(hours=hours)
    with patch("django.utils.timezone.now", return_value=later - timedelta(hours=2)):
        window.get("/about")
    with patch("django.utils.timezone.now", return_value=later):
        assert window.post(TOKENS, MODERATE).status_code == status


@pytest.mark.parametrize(("hours", "status"), [(11, 200), (13, 422)])
def test_code_of_the_log_in_counts_for_12_hours(
    gus: User, secret: str, hours: int, status: int
) -> None:
    window = Client()
    window.post("/accounts/login/", {"login": "gus", "password": PASSWORD})
    window.post("/accounts/2fa/authenticate/", {"code": code(secret)})
    later = timezone.now() + timedelta(hours=hours)
    window.post("/accounts/reauthenticate/", {"password": PASSWORD})
    with patch("django.utils.timezone.now", return_value=later - timedelta(hours=2)):
        window.get("/about")
    with patch("django.utils.timezone.now", return_value=later):
        assert window.post(TOKENS, MODERATE).status_code == status
