"""Changes of email address, password and two-factor authentication are confirmed and notified."""

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
from tests.forum.cast import PASSWORD, person, reachable, reader, sure_reader
from tests.forum.test_second_factor import code

pytestmark = pytest.mark.django_db(transaction=True)

ASKED = "/accounts/reauthenticate/?next=%2Faccounts%2Femail%2F"
NEW = "a much longer sentence"


@pytest.fixture
def ada() -> User:
    """Ada has a confirmed address and another one."""
    made = reachable("ada")
    EmailAddress.objects.create(user=made, email="home@example.org", verified=True)
    return made


def button(name: str, address: str) -> dict[str, str]:
    return {"email": address, f"action_{name}": ""}


def notices() -> list[tuple[list[str], str]]:
    """Return to whom mail went, and its subjects, but for requests to confirm an address."""
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
def test_a_change_of_address_is_done_once_the_password_is_entered_again(
    ada: User, form: dict[str, str], left: set[str]
) -> None:
    window = reader(ada)
    before = set(EmailAddress.objects.values_list("email", "primary"))
    assert window.post("/accounts/email/", form)["Location"] == ASKED
    assert set(EmailAddress.objects.values_list("email", "primary")) == before
    wrong = window.post(ASKED, {"password": "something else"})
    assert wrong.status_code == 200
    assert set(EmailAddress.objects.values_list("email", "primary")) == before
    window.post(ASKED, {"password": PASSWORD})
    after = set(EmailAddress.objects.values_list("email", "primary"))
    assert after != before
    assert {email.partition("@")[0] for email, _primary in after} == left


def test_the_old_address_is_told_that_mail_goes_to_another(ada: User) -> None:
    sure_reader(ada).post("/accounts/email/", button("primary", "home@example.org"))
    assert notices() == [(["ada@example.org"], "Your email address was changed")]
    body = mail.outbox[0].body
    assert "Your mail goes to home@example.org from now on, no longer to ada@example.org." in body
    assert "http://localhost:8000/accounts/password/reset/" in body
    assert mail.outbox[0].extra_headers["Auto-Submitted"] == "auto-generated"


def test_the_address_that_was_there_before_is_told_of_an_added_one(ada: User) -> None:
    sure_reader(ada).post("/accounts/email/", button("add", "new@example.org"))
    assert notices() == [(["ada@example.org"], "An email address was added")]


def test_a_removed_address_is_told_and_the_one_that_stays(ada: User) -> None:
    sure_reader(ada).post("/accounts/email/", button("remove", "home@example.org"))
    told = [(["ada@example.org"], "removed"), (["home@example.org"], "removed")]
    assert [(to, said.rpartition(" ")[2]) for to, said in notices()] == told


def test_the_only_address_is_told_that_it_was_removed() -> None:
    bob = reachable("bob")
    sure_reader(bob).post("/accounts/email/", button("remove", "bob@example.org"))
    assert notices() == [(["bob@example.org"], "An email address was removed")]


def test_an_address_that_nobody_confirmed_gets_no_notices() -> None:
    bob = person("bob", email="bob@example.org")
    EmailAddress.objects.create(user=bob, email=bob.email, primary=True)
    window = sure_reader(bob)
    window.post("/accounts/email/", button("add", "new@example.org"))
    window.post("/accounts/email/", button("remove", "new@example.org"))
    assert notices() == []


def test_a_new_password_sends_a_notice_in_the_persons_language(ada: User) -> None:
    languages.choose(ada, "zh-hans")
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    reader(ada).post("/accounts/password/change/", form)
    (sent,) = mail.outbox
    assert sent.to == ["ada@example.org"]
    languages.choose(ada, "en")
    form = {"oldpassword": NEW, "password1": PASSWORD, "password2": PASSWORD}
    reader(User.objects.get()).post("/accounts/password/change/", form)
    assert notices()[1] == (["ada@example.org"], "Your password was changed")
    assert "ada, something in your account was changed:" in mail.outbox[1].body


def test_a_password_that_was_reset_by_mail_sends_a_notice(ada: User) -> None:
    window = reader()
    window.post("/accounts/password/reset/", {"email": "ada@example.org"})
    link = re.search(r"http://localhost:8000(/\S+/key/\S+)", str(mail.outbox[0].body))
    assert link
    form = window.get(link[1])["Location"]
    window.post(form, {"password1": NEW, "password2": NEW})
    assert notices()[1] == (["ada@example.org"], "Your password was changed")


def test_a_second_factor_is_turned_on_and_off_with_the_password_and_a_notice(
    ada: User, settings: Any
) -> None:
    settings.MFA_TOTP_TOLERANCE = 1  # the next code may be due meanwhile
    on, off = "/accounts/2fa/totp/activate/", "/accounts/2fa/totp/deactivate/"
    assert "/accounts/reauthenticate/" in reader(ada).get(on)["Location"]
    window = sure_reader(ada)
    window.get(on)
    window.post(on, {"code": code(window.session["mfa.totp.secret"])})
    assert "/accounts/reauthenticate/" in reader(ada).post(off)["Location"]
    sure_reader(ada).post(off)
    assert notices() == [
        (["ada@example.org"], "Two-factor authentication is on"),
        (["ada@example.org"], "Two-factor authentication is off"),
    ]


def test_an_address_can_be_added_with_a_second_factor_on(ada: User) -> None:
    TOTP.activate(ada, generate_totp_secret())
    RecoveryCodes.activate(ada)
    window = sure_reader(ada)
    assert 'name="action_add"' in window.get("/accounts/email/").content.decode()
    window.post("/accounts/email/", button("add", "new@example.org"))
    link = re.search(r"http://localhost:8000(/\S+/confirm-email/\S+)", str(mail.outbox[0].body))
    assert link
    window.post(link[1])
    assert EmailAddress.objects.get(email="new@example.org").verified


def claims(window: Client) -> list[str]:
    """Return what preferences and the page of addresses say about where mail goes."""
    pages = [window.get(path).content.decode() for path in ("/preferences", "/accounts/email/")]
    return re.findall(r"Mail goes to \S+|gets your mail", "".join(pages))


def test_no_page_claims_that_mail_goes_to_an_unconfirmed_address() -> None:
    form = {"username": "bob", "email": "bob@example.org", "password1": PASSWORD}
    window = reader()
    window.post("/accounts/signup/", form)
    assert claims(window) == []
    assert "bob@example.org is not confirmed yet." in window.get("/preferences").content.decode()
    refused = window.post("/preferences", {"digest": "daily"})
    assert "Confirm bob@example.org first" in refused.content.decode()
    window.post("/accounts/reauthenticate/", {"password": PASSWORD})
    chosen = button("primary", "bob@example.org")
    said = window.post("/accounts/email/", chosen, follow=True).content.decode()
    assert "Only a confirmed address can be your primary one." in said
    EmailAddress.objects.update(verified=True)
    assert claims(window) == ["Mail goes to bob@example.org.", "gets your mail"]


def test_the_first_address_that_is_confirmed_gets_the_mail() -> None:
    bob = person("bob", email="mistyped@example.org")
    EmailAddress.objects.create(user=bob, email=bob.email, primary=True)
    window = sure_reader(bob)
    window.post("/accounts/email/", button("add", "bob@example.org"))
    link = re.search(r"http://localhost:8000(/\S+/confirm-email/\S+)", str(mail.outbox[0].body))
    assert link
    window.post(link[1])
    bob.refresh_from_db()
    assert bob.email == "bob@example.org"
    assert claims(window) == ["Mail goes to bob@example.org.", "gets your mail"]


@pytest.fixture
def stella() -> Client:
    """The browser of somebody who runs the site."""
    return reader(person("stella", is_staff=True, is_superuser=True))


def test_what_staff_change_of_an_account_sends_a_notice_as_well(ada: User, stella: Client) -> None:
    on = f"/admin/forum/user/{ada.pk}"
    stella.post(f"{on}/password/", {"password1": NEW, "password2": NEW, "usable_password": "true"})
    assert notices() == [(["ada@example.org"], "Your password was changed")]
    TOTP.activate(ada, generate_totp_secret())
    factor = Authenticator.objects.get()
    stella.post(f"/admin/mfa/authenticator/{factor.pk}/delete/", {"post": "yes"})
    assert notices()[1:] == [(["ada@example.org"], "Two-factor authentication is off")]


def test_an_address_that_staff_change_or_remove_is_told(ada: User, stella: Client) -> None:
    home = EmailAddress.objects.get(email="home@example.org")
    on = f"/admin/account/emailaddress/{home.pk}"
    stella.post(f"{on}/change/", {"user": ada.pk, "email": "house@example.org", "verified": "on"})
    stella.post(f"{on}/delete/", {"post": "yes"})
    removed = "An email address was removed"
    assert notices() == [(["home@example.org"], removed), (["house@example.org"], removed)]


@pytest.mark.parametrize("new", ["new@example.org", ""])
def test_who_gets_another_address_from_staff_is_told_at_the_old_one(
    ada: User, stella: Client, new: str
) -> None:
    form = {"username": "ada", "is_active": "on", "initial-is_active": "True"}
    form |= {"email": new, "initial-email": ada.email, "about": "", "initial-about": ""}
    answer = stella.post(f"/admin/forum/user/{ada.pk}/change/", form)
    assert answer.status_code == 302
    assert [to for to, _said in notices()] == [["ada@example.org"]]
