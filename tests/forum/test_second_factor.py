"""In production, staff without two-factor authentication can do no more than other members."""

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client

from forum.models import Post, User
from tests.forum.factories import PASSWORD, person, reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stella(settings: Any) -> User:
    """Stella, staff of a public site, without two-factor authentication."""
    settings.PRODUCTION = True
    return person("stella", is_staff=True, is_superuser=True)


def may_edit(window: Client, written: Post) -> bool:
    """Return whether a browser gets the form that edits another person's post."""
    status = window.get(f"/p/{written.pk}/edit").status_code
    assert status in {200, 403}
    return status == 200


def test_staff_without_a_second_factor_cannot_change_others_posts(
    stella: User, written: Post
) -> None:
    assert not may_edit(reader(stella), written)
    assert reader(stella).get("/admin/forum/post/").status_code == 302
    assert may_edit(reader(written.author), written), "people can edit their own posts"


def test_staff_with_a_second_factor_change_others_posts(stella: User, written: Post) -> None:
    TOTP.activate(stella, generate_totp_secret())
    assert may_edit(reader(stella), written)
    assert reader(stella).get("/admin/forum/post/").status_code == 200


def test_inactive_staff_cannot_change_others_posts(stella: User, written: Post) -> None:
    TOTP.activate(stella, generate_totp_secret())
    window = reader(stella)
    User.objects.filter(pk=stella.pk).update(is_active=False)
    assert window.get(f"/p/{written.pk}/edit").status_code != 200


def test_development_site_requires_no_second_factor(
    settings: Any, stella: User, written: Post
) -> None:
    settings.PRODUCTION = False
    assert may_edit(reader(stella), written)


def code(secret: str) -> str:
    """Return the code that an authenticator app shows now."""
    counters = list(yield_hotp_counters_from_time())
    shown: str = format_hotp_value(hotp_value(secret, counters[len(counters) // 2]))
    return shown


def test_sessions_from_before_two_factor_setup_get_no_powers(
    stella: User, written: Post, settings: Any
) -> None:
    thief, window, other = reader(stella), reader(stella), reader(written.author)
    assert not may_edit(thief, written)
    activation = "/accounts/2fa/totp/activate/"
    window.post(f"/accounts/reauthenticate/?next={activation}", {"password": PASSWORD})
    window.get(activation)
    settings.MFA_TOTP_TOLERANCE = 1  # seconds may pass until the code is checked
    window.post(activation, {"code": code(window.session["mfa.totp.secret"])})
    assert may_edit(window, written)
    assert thief.get(f"/p/{written.pk}/edit").status_code == 302
    assert may_edit(other, written), "others stay logged in"


@pytest.mark.parametrize(("ticked", "ends"), [("on", False), ("", True)])
def test_remember_me_off_holds_with_two_factor_authentication_too(
    bob: User, settings: Any, ticked: str, ends: bool
) -> None:
    settings.MFA_TOTP_TOLERANCE = 1  # seconds may pass until the code is checked
    secret, window = generate_totp_secret(), Client()
    TOTP.activate(bob, secret)
    form = {"login": "bob", "password": PASSWORD, "remember": ticked}
    code_page = window.post("/accounts/login/", form)["Location"]
    window.post(code_page, {"code": code(secret)})
    assert "_auth_user_id" in window.session
    assert window.session.get_expire_at_browser_close() is ends
