"""People must confirm changes of email address, password and two-factor authentication."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.test import Client

from forum.identity import languages
from forum.models import User
from tests.forum.factories import (
    PASSWORD,
    emailed_path,
    person,
    person_with_email,
    reader,
    reauthenticated_reader,
)
from tests.forum.test_passkeys import give_passkey
from tests.forum.test_second_factor import code

pytestmark = pytest.mark.django_db(transaction=True)

REAUTHENTICATION = "/accounts/reauthenticate/?next=%2Faccounts%2Femail%2F"
NEW = "a much longer sentence"


@pytest.fixture
def ada() -> User:
    """Ada, with a confirmed email address and a second address."""
    made = person_with_email("ada")
    EmailAddress.objects.create(user=made, email="home@example.org", verified=True)
    return made


def button(name: str, address: str) -> dict[str, str]:
    return {"email": address, f"action_{name}": ""}


def notices() -> list[tuple[list[str], str]]:
    """Return the recipients and subject of each sent email, but not of confirmation requests."""
    sent = [(one.to, str(one.subject).removeprefix("[Rostra] ")) for one in mail.outbox]
    return [one for one in sent if one[1] != "Confirm your email address"]


@pytest.mark.parametrize(
    ("form", "left"),
    [
        (button("add", "new@example.org"), {"ada", "home", "new"}),
        (button("remove", "home@example.org"), {"ada"}),
        (button("primary", "home@example.org"), {"ada", "home"}),
    ],
)
def test_changing_the_email_address_asks_for_the_password(
    ada: User, form: dict[str, str], left: set[str]
) -> None:
    window = reader(ada)
    before = set(EmailAddress.objects.values_list("email", "primary"))
    assert window.post("/accounts/email/", form)["Location"] == REAUTHENTICATION
    assert set(EmailAddress.objects.values_list("email", "primary")) == before
    wrong = window.post(REAUTHENTICATION, {"password": "something else"})
    assert wrong.status_code == 200
    assert set(EmailAddress.objects.values_list("email", "primary")) == before
    window.post(REAUTHENTICATION, {"password": PASSWORD})
    after = set(EmailAddress.objects.values_list("email", "primary"))
    assert after != before
    assert {email.partition("@")[0] for email, _primary in after} == left


def test_the_old_primary_address_is_notified_of_the_new_one(ada: User) -> None:
    reauthenticated_reader(ada).post("/accounts/email/", button("primary", "home@example.org"))
    assert notices() == [(["ada@example.org"], "Your email address was changed")]
    body = mail.outbox[0].body
    assert "Your email now goes to home@example.org instead of ada@example.org." in body
    assert "http://localhost:8000/accounts/password/reset/" in body
    assert mail.outbox[0].extra_headers["Auto-Submitted"] == "auto-generated"


def test_the_primary_address_is_notified_of_an_added_one(ada: User) -> None:
    reauthenticated_reader(ada).post("/accounts/email/", button("add", "new@example.org"))
    assert notices() == [(["ada@example.org"], "An email address was added")]


def test_a_removed_address_and_the_primary_one_are_notified(ada: User) -> None:
    reauthenticated_reader(ada).post("/accounts/email/", button("remove", "home@example.org"))
    expected = [(["ada@example.org"], "removed"), (["home@example.org"], "removed")]
    assert [(to, subject.rpartition(" ")[2]) for to, subject in notices()] == expected


def test_the_only_address_is_notified_of_its_removal() -> None:
    bob = person_with_email("bob")
    reauthenticated_reader(bob).post("/accounts/email/", button("remove", "bob@example.org"))
    assert notices() == [(["bob@example.org"], "An email address was removed")]


def test_an_unconfirmed_address_gets_no_notices() -> None:
    bob = person("bob", email="bob@example.org")
    EmailAddress.objects.create(user=bob, email=bob.email, primary=True)
    window = reauthenticated_reader(bob)
    window.post("/accounts/email/", button("add", "new@example.org"))
    window.post("/accounts/email/", button("remove", "new@example.org"))
    assert notices() == []


def test_a_changed_password_is_notified_in_the_persons_language(ada: User) -> None:
    languages.choose(ada, "zh-hans")
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    reader(ada).post("/accounts/password/change/", form)
    (sent,) = mail.outbox
    assert sent.to == ["ada@example.org"]
    languages.choose(ada, "en")
    form = {"oldpassword": NEW, "password1": PASSWORD, "password2": PASSWORD}
    reader(User.objects.get()).post("/accounts/password/change/", form)
    assert notices()[1] == (["ada@example.org"], "Your password was changed")
    assert "ada, your account was changed:" in mail.outbox[1].body


def test_a_password_reset_by_email_is_notified(ada: User) -> None:
    window = reader()
    window.post("/accounts/password/reset/", {"email": "ada@example.org"})
    form = window.get(emailed_path())["Location"]
    window.post(form, {"password1": NEW, "password2": NEW})
    assert notices()[1] == (["ada@example.org"], "Your password was changed")


def test_two_factor_authentication_needs_the_password_and_is_notified(
    ada: User, settings: Any
) -> None:
    settings.MFA_TOTP_TOLERANCE = 1  # seconds may pass until the code is checked
    on, off = "/accounts/2fa/totp/activate/", "/accounts/2fa/totp/deactivate/"
    guarded = reader(ada).get(on, follow=True)
    assert "/accounts/reauthenticate/" in guarded.redirect_chain[-1][0]
    assert "Confirm your identity" in guarded.content.decode()
    window = reauthenticated_reader(ada)
    window.get(on)
    window.post(on, {"code": code(window.session["mfa.totp.secret"])})
    assert "/accounts/reauthenticate/" in reader(ada).post(off)["Location"]
    reauthenticated_reader(ada).post(off)
    assert notices() == [
        (["ada@example.org"], "Two-factor authentication is on"),
        (["ada@example.org"], "The authenticator app was removed"),
    ]


def test_an_address_can_be_added_while_two_factor_authentication_is_on(ada: User) -> None:
    TOTP.activate(ada, generate_totp_secret())
    RecoveryCodes.activate(ada)
    window = reauthenticated_reader(ada)
    assert 'name="action_add"' in window.get("/accounts/email/").content.decode()
    window.post("/accounts/email/", button("add", "new@example.org"))
    window.post(emailed_path())
    assert EmailAddress.objects.get(email="new@example.org").verified


def claims(window: Client) -> list[str]:
    """Return the phrases on the preferences and email pages that say which address gets email."""
    pages = [window.get(path).content.decode() for path in ("/preferences", "/accounts/email/")]
    return re.findall(r"Email goes to \S+|your email goes to this address", "".join(pages))


def test_no_page_shows_an_unconfirmed_address_as_primary() -> None:
    form = {"username": "bob", "email": "bob@example.org", "password1": PASSWORD}
    window = reader()
    window.post("/accounts/signup/", form)
    assert claims(window) == []
    assert "bob@example.org is not confirmed yet." in window.get("/preferences").content.decode()
    refused = window.post("/preferences", {"digest": "daily"})
    assert "Please confirm bob@example.org first" in refused.content.decode()
    window.post("/accounts/reauthenticate/", {"password": PASSWORD})
    chosen = button("primary", "bob@example.org")
    html = window.post("/accounts/email/", chosen, follow=True).content.decode()
    assert (
        "Confirm this email address first. After that, your email can go to this address." in html
    )
    EmailAddress.objects.update(verified=True)
    assert claims(window) == ["Email goes to bob@example.org.", "your email goes to this address"]


def test_the_first_confirmed_address_becomes_primary() -> None:
    bob = person("bob", email="mistyped@example.org")
    EmailAddress.objects.create(user=bob, email=bob.email, primary=True)
    window = reauthenticated_reader(bob)
    window.post("/accounts/email/", button("add", "bob@example.org"))
    window.post(emailed_path())
    bob.refresh_from_db()
    assert bob.email == "bob@example.org"
    assert claims(window) == ["Email goes to bob@example.org.", "your email goes to this address"]


def test_changes_of_an_account_by_staff_are_notified(ada: User, admin: Client) -> None:
    on = f"/admin/forum/user/{ada.pk}"
    admin.post(f"{on}/password/")
    assert notices() == [(["ada@example.org"], "Choose a new password")]
    TOTP.activate(ada, generate_totp_secret())
    RecoveryCodes.activate(ada)
    give_passkey(ada)
    for kind in ("webauthn", "recovery_codes", "totp"):
        factor = Authenticator.objects.get(type=kind)
        admin.post(f"/admin/mfa/authenticator/{factor.pk}/delete/", {"post": "yes"})
    assert [subject for _to, subject in notices()[1:]] == [
        "A passkey was removed",
        "Your recovery codes were removed",
        "The authenticator app was removed",
    ]


def test_an_address_changed_or_removed_by_staff_is_notified(ada: User, admin: Client) -> None:
    home = EmailAddress.objects.get(email="home@example.org")
    on = f"/admin/account/emailaddress/{home.pk}"
    admin.post(f"{on}/change/", {"user": ada.pk, "email": "house@example.org", "verified": "on"})
    admin.post(f"{on}/delete/", {"post": "yes"})
    removed = "An email address was removed"
    assert notices() == [(["home@example.org"], removed), (["house@example.org"], removed)]


@pytest.mark.parametrize("new", ["new@example.org", ""])
def test_an_address_replaced_by_staff_is_notified(ada: User, admin: Client, new: str) -> None:
    form = {"username": "ada", "is_active": "on", "initial-is_active": "True"}
    form |= {"email": new, "initial-email": ada.email, "about": "", "initial-about": ""}
    answer = admin.post(f"/admin/forum/user/{ada.pk}/change/", form)
    assert answer.status_code == 302
    assert [to for to, _subject in notices()] == [["ada@example.org"]]
