"""Staff in production: without two-factor authentication they are like everybody else."""

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
from tests.forum.cast import PASSWORD, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stella(settings: Any) -> User:
    """Staff of a site for the public, so far with a password alone."""
    settings.PRODUCTION = True
    return person("stella", is_staff=True, is_superuser=True)


@pytest.fixture
def written() -> Post:
    return post(person("ada"), "Knots")


def may_edit(window: Client, written: Post) -> bool:
    """Say whether the form to change a post is there for who looks."""
    status = window.get(f"/p/{written.pk}/edit").status_code
    assert status in {200, 403}
    return status == 200


def test_without_it_staff_change_nothing_of_others(stella: User, written: Post) -> None:
    assert not may_edit(reader(stella), written)
    assert reader(stella).get("/admin/forum/post/").status_code == 302
    assert may_edit(reader(written.author), written), "people change what is theirs all the same"


def test_with_it_they_do(stella: User, written: Post) -> None:
    TOTP.activate(stella, generate_totp_secret())
    assert may_edit(reader(stella), written)
    assert reader(stella).get("/admin/forum/post/").status_code == 200


def test_staff_whose_account_was_closed_change_nothing(stella: User, written: Post) -> None:
    TOTP.activate(stella, generate_totp_secret())
    window = reader(stella)
    User.objects.filter(pk=stella.pk).update(is_active=False)
    assert window.get(f"/p/{written.pk}/edit").status_code != 200


def test_on_a_developers_site_staff_need_none(settings: Any, stella: User, written: Post) -> None:
    settings.PRODUCTION = False
    assert may_edit(reader(stella), written)


def code(secret: str) -> str:
    """Return what the app on the phone shows."""
    counters = list(yield_hotp_counters_from_time())
    shown: str = format_hotp_value(hotp_value(secret, counters[len(counters) // 2]))
    return shown


def test_who_got_in_before_there_was_one_has_no_powers_by_it(
    stella: User, written: Post, settings: Any
) -> None:
    thief, window, other = reader(stella), reader(stella), reader(written.author)
    assert not may_edit(thief, written)
    activation = "/accounts/2fa/totp/activate/"
    window.post(f"/accounts/reauthenticate/?next={activation}", {"password": PASSWORD})
    window.get(activation)
    settings.MFA_TOTP_TOLERANCE = 1  # the next code may be due meanwhile
    window.post(activation, {"code": code(window.session["mfa.totp.secret"])})
    assert may_edit(window, written)
    assert thief.get(f"/p/{written.pk}/edit").status_code == 302
    assert may_edit(other, written), "others stay logged in"


@pytest.mark.parametrize(("ticked", "ends"), [("on", False), ("", True)])
def test_who_does_not_stay_logged_in_does_not_for_a_second_factor_either(
    bob: User, settings: Any, ticked: str, ends: bool
) -> None:
    settings.MFA_TOTP_TOLERANCE = 1  # the next code may be due meanwhile
    secret, window = generate_totp_secret(), Client()
    TOTP.activate(bob, secret)
    form = {"login": "bob", "password": PASSWORD, "remember": ticked}
    asked = window.post("/accounts/login/", form)["Location"]
    window.post(asked, {"code": code(secret)})
    assert "_auth_user_id" in window.session
    assert window.session.get_expire_at_browser_close() is ends
