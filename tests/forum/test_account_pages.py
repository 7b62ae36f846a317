"""Account pages offer only actions that are possible, and explain errors and effects."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.test import Client

from forum.models import User
from tests.forum.factories import (
    PASSWORD,
    person,
    person_with_email,
    reader,
    reauthenticated_reader,
)

pytestmark = pytest.mark.django_db

CORRECTION = "Please correct the errors below."


def test_an_error_in_a_form_of_one_field_is_shown_alone() -> None:
    page = reader().post("/accounts/password/reset/", {"email": "ada"}).content.decode()
    assert CORRECTION not in page
    assert page.count('role="alert"') == 1, "one alert: the field refers to its error"
    assert 'role="alert">\n<ul class="errors" id="id_email_error">' in page


def test_an_error_in_a_form_of_several_fields_has_a_summary() -> None:
    window = reader(person("ada"))
    form = {"oldpassword": "wrong", "password1": PASSWORD, "password2": PASSWORD}
    page = window.post("/accounts/password/change/", form).content.decode()
    assert page.count(CORRECTION) == page.count('role="alert"') == 1
    assert 'id="id_oldpassword_error"' in page
    assert "That isn&#x27;t your current password." in page


def get_html(path: str, window: Client) -> str:
    return window.get(f"/accounts/{path}").content.decode()


def test_the_email_page_shows_which_address_is_primary_and_how_to_change_it() -> None:
    ada = person_with_email("ada")
    EmailAddress.objects.create(user=ada, email="home@example.org", verified=True)
    EmailAddress.objects.create(user=ada, email="doubtful@example.org", verified=False)
    window = reauthenticated_reader(ada)

    def message_after(action: str, name: str) -> str:
        form = {"email": f"{name}@example.org", f"action_{action}": ""}
        page = window.post("/accounts/email/", form, follow=True).content.decode()
        assert "rimary email" not in page, "the page doesn't use this term"
        return page

    assert "We send your email to ada@example.org, so you can" in message_after("remove", "ada")
    assert (
        "Confirm this email address first. After that, your email can go to this address."
    ) in message_after("primary", "doubtful")
    assert "Your email now goes to the chosen address." in message_after("primary", "home")
    assert "We send your email to home@example.org, so you can" in message_after("remove", "home")


def test_requesting_another_confirmation_email_reports_the_result() -> None:
    ada = person_with_email("ada")
    EmailAddress.objects.create(user=ada, email="new@example.org")
    window = reauthenticated_reader(ada)

    def message_after(name: str) -> str:
        form = {"email": f"{name}@example.org", "action_send": ""}
        return window.post("/accounts/email/", form, follow=True).content.decode()

    assert "We sent an email to new@example.org" in message_after("new")
    assert "We sent an email to this address less than three minutes ago." in message_after("new")
    assert "ada@example.org is already confirmed." in message_after("ada")
    for nobody in ("nobody", "no\x00body"):
        assert "Choose one of your email addresses first." in message_after(nobody)
    assert [sent.to for sent in mail.outbox] == [["new@example.org"]]


def test_an_unconfirmed_address_must_be_confirmed_before_two_factor_authentication(
    ada: User,
) -> None:
    address = EmailAddress.objects.create(user=ada, email="ada@example.org", verified=False)
    page = get_html("2fa/", reader(ada))
    assert 'href="/accounts/2fa/totp/activate/"' not in page
    assert "Confirm your email address before" in page
    assert '<a href="/accounts/email/">Your email addresses</a>' in page
    refused = reauthenticated_reader(ada).get("/accounts/2fa/totp/activate/", follow=True)
    assert refused.redirect_chain == [("/accounts/2fa/", 302)]
    address.set_verified()
    page = get_html("2fa/", reader(ada))
    assert 'href="/accounts/2fa/totp/activate/">Turn on</a>' in page
    assert "confirm your email address" not in page


def test_setting_up_an_app_shows_the_whole_key_and_explains_a_wrong_code() -> None:
    window = reauthenticated_reader(person("ada"))
    page = get_html("2fa/totp/activate/", window)
    assert re.search(r'<code class="key">[A-Z2-7]{32}</code>', page)
    assert 'src="data:image/svg+xml;' in page
    assert ">Code from the app</label>" in page
    assert 'autocomplete="one-time-code"' in page
    assert "placeholder=" not in page.partition("<main")[2]
    page = window.post("/accounts/2fa/totp/activate/", {"code": "1"}).content.decode()
    assert "That code is wrong or has expired." in page


def test_recovery_codes_say_what_they_are_for_and_how_many_are_left(ada: User) -> None:
    TOTP.activate(ada, generate_totp_secret())
    codes = RecoveryCodes.activate(ada)
    code = codes.get_unused_codes()[0]
    assert codes.validate_code(code)
    window = reauthenticated_reader(ada)
    for path in ("2fa/", "2fa/recovery-codes/"):
        page = get_html(path, window)
        assert "each code logs you in once" in page
        assert "9 of 10 codes are left." in page
    assert len(re.findall(r"^(?:<pre>)?\d{8}$", page, re.MULTILINE)) == 9
    assert code not in page
    page = get_html("2fa/recovery-codes/generate/", window)
    assert "Your current recovery codes will stop working." in page


def test_turning_off_two_factor_authentication_explains_the_effect(ada: User) -> None:
    TOTP.activate(ada, generate_totp_secret())
    RecoveryCodes.activate(ada)
    window = reauthenticated_reader(ada)
    page = get_html("2fa/totp/deactivate/", window)
    assert "your recovery codes stop working" in page
    off = window.post("/accounts/2fa/totp/deactivate/", follow=True).content.decode()
    assert "Two-factor authentication is off." in off
    assert "Recovery codes" not in off


PRIVATE = ["/inbox", "/u/ada/saved", "/history", "/following", "/preferences", "/accounts/email/"]
PUBLIC = [
    *("/", "/g/books/?p=1", "/u/ada/", "/language", "/nowhere", "/submit", "http://[#", ""),
    *("/p/1", "/p/1/watch", "/u/ada/block", "/accounts/signup/"),
]


@pytest.mark.parametrize("path", PRIVATE)
def test_log_in_explains_that_the_page_requires_it(path: str) -> None:
    person("ada")
    page = reader().get(path, follow=True).content.decode()
    assert "Log in to see this page." in page
    page = reader().get("/accounts/signup/", {"next": path}).content.decode()
    assert "Sign up to see this page." in page


@pytest.mark.parametrize("path", PUBLIC)
def test_log_in_explains_nothing_for_a_public_page(path: str) -> None:
    page = reader().get("/accounts/login/", {"next": path}).content.decode()
    assert "Log in to see this page." not in page
    vote = reader().get("/accounts/login/", {"next": "/inbox", "vote": "up", "post": "1"})
    assert "Log in to see this page." not in vote.content.decode()
