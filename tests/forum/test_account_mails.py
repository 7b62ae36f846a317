"""Emails about accounts: the text, the link, and advice for people who didn't ask for the email."""

import re
import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail

from forum.accounts.mail_adapter import NOTICES
from tests.forum.factories import (
    PASSWORD,
    person,
    person_with_email,
    reader,
    reauthenticated_reader,
)
from tests.forum.test_passkeys import give_passkey

pytestmark = pytest.mark.django_db(transaction=True)

SIGNED = "\n\n--\nRostra\nhttp://localhost:8000"
FORM = {"username": "bob", "password1": PASSWORD}


def letter() -> tuple[str, str]:
    """Return the subject and text of the only email sent, without the secret part of the link."""
    (sent,) = mail.outbox
    text = re.sub(r"(key|confirm-email)/[^\s/]+/", r"\1/.../", str(sent.body))
    return str(sent.subject), text


def test_a_forgotten_password_gets_an_email_with_a_link() -> None:
    person_with_email("ada")
    reader().post("/accounts/password/reset/", {"email": "ada@example.org"})
    assert letter() == (
        "[Rostra] Choose a new password",
        (
            "ada, choose a new password here:\n"
            "http://localhost:8000/accounts/password/reset/key/.../\n\n"
            "If you didn't ask for this, you can ignore this email; your password won't "
            f"change.{SIGNED}"
        ),
    )


def test_the_host_of_a_request_never_gets_into_an_email() -> None:
    person_with_email("ada")
    window = reader(headers={"Host": "127.0.0.1:6666"})
    window.post("/accounts/password/reset/", {"email": "ada@example.org"})
    assert "\nhttp://localhost:8000/accounts/password/reset/key/.../\n" in letter()[1]


def test_an_unknown_address_gets_an_email_that_says_so() -> None:
    reader().post("/accounts/password/reset/", {"email": "who@example.org"})
    subject, text = letter()
    assert subject == "[Rostra] No account uses this email address"
    assert text.startswith(
        "Someone asked to reset a password, but no account uses this email address."
    )
    assert "sign up here:\nhttp://localhost:8000/accounts/signup/\n\nIf it wasn't you" in text
    assert text.endswith(SIGNED)


def test_signing_up_sends_a_confirmation_email() -> None:
    window = reader()
    answer = window.post("/accounts/signup/", FORM | {"email": "bob@example.org"})
    assert letter() == (
        "[Rostra] Confirm your email address",
        (
            "bob, confirm your email address here:\n"
            "http://localhost:8000/accounts/confirm-email/.../\n\n"
            "If you have no account here, you can ignore this email; someone "
            f"mistyped their address.{SIGNED}"
        ),
    )
    page = window.get(answer["Location"]).content.decode()
    assert "We sent an email to bob@example.org. Open the link in it" in page


def test_only_an_email_reveals_that_an_address_has_an_account(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
    person_with_email("ada")
    reader().post("/accounts/signup/", FORM | {"email": "ada@example.org"})
    subject, text = letter()
    assert subject == "[Rostra] You already have an account"
    assert "choose a new one here:\nhttp://localhost:8000/accounts/password/reset/\n\n" in text
    assert text.endswith(
        f"If it wasn't you, you can ignore this email; nobody accessed your account.{SIGNED}"
    )


UNSENT = "The email to bob@example.org could not be sent."


@pytest.fixture(params=["Broken", "Refusing"])
def server(request: pytest.FixtureRequest, settings: Any) -> None:
    settings.EMAIL_BACKEND = f"tests.forum.test_mail.{request.param}"


@pytest.mark.usefixtures("server")
def test_signing_up_works_while_email_cannot_be_sent() -> None:
    window = reader()
    answer = window.post("/accounts/signup/", FORM | {"email": "bob@example.org"})
    assert answer.status_code == 302
    page = window.get(answer["Location"]).content.decode()
    assert "Welcome, bob." in page
    assert UNSENT in page
    assert "We sent an email to" not in page


@pytest.mark.usefixtures("server")
def test_unsent_email_does_not_reveal_whether_an_address_is_taken(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
    EmailAddress.objects.create(user=person("ada"), email="bob@example.org", verified=True)
    for address in ("bob@example.org", "cleo@example.org"):
        form = FORM | {"username": address.partition("@")[0], "email": address}
        page = reader().post("/accounts/signup/", form, follow=True).content.decode()
        assert f"The email to {address} could not be sent." in page


@pytest.mark.usefixtures("server")
def test_an_address_can_be_added_while_email_cannot_be_sent() -> None:
    window = reauthenticated_reader(person("bob"))
    added = {"action_add": "", "email": "bob@example.org"}
    page = window.post("/accounts/email/", added, follow=True).content.decode()
    assert UNSENT in page
    assert EmailAddress.objects.get().email == "bob@example.org"


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("known", [True, False])
def test_a_password_reset_fails_while_email_cannot_be_sent(known: bool) -> None:
    if known:
        person_with_email("bob")
    answer = reader().post("/accounts/password/reset/", {"email": "bob@example.org"})
    assert answer.status_code == 503
    assert answer["Retry-After"]
    assert UNSENT in answer.content.decode()


@pytest.mark.usefixtures("server")
def test_page_does_not_mention_a_notice_that_cannot_be_sent() -> None:
    bob = person_with_email("bob")
    give_passkey(bob)
    path = f"/accounts/2fa/webauthn/keys/{Authenticator.objects.get().pk}/remove/"
    page = reauthenticated_reader(bob).post(path, follow=True).content.decode()
    assert "The passkey was removed." in page
    assert UNSENT not in page


def test_all_mails_about_changes_are_notices() -> None:
    folder = Path(__file__).parents[2] / "templates"
    found = {
        str(path.relative_to(folder)).removesuffix("_message.txt")
        for path in folder.glob("*/email/*_message.txt")
        if "base_notification.txt" in path.read_text()
    }
    assert found == NOTICES


def test_password_reset_emails_to_one_address_are_limited() -> None:
    form = {"email": "ada@example.org"}
    answers = [reader().post("/accounts/password/reset/", form) for _ in range(5)]
    assert [one.status_code for one in answers] == [302, 302, 302, 429, 429]
    assert len(mail.outbox) == 3


def test_confirmation_emails_to_many_addresses_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    window, moment = reauthenticated_reader(person("eve")), count(time.time(), 10)
    clock = SimpleNamespace(time=lambda: next(moment), monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr("allauth.core.internal.ratelimit.time", clock)
    for number in range(35):
        added = {"action_add": "", "email": f"a{number}@example.org"}
        window.post("/accounts/email/", added)
    assert len(mail.outbox) == 30
