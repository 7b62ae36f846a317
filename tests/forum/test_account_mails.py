"""Mail about an account: a plain sentence, one link, and what to do if it was somebody else."""

import re
import time
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from tests.forum.cast import PASSWORD, person, reader

pytestmark = pytest.mark.django_db(transaction=True)

SIGNED = "\n\n--\nRostra\nhttp://localhost:8000"
FORM = {"username": "bob", "password1": PASSWORD}


def letter() -> tuple[str, str]:
    """Return the subject and text of the only mail, with the secret part of its link left out."""
    (sent,) = mail.outbox
    text = re.sub(r"(key|confirm-email)/[^\s/]+/", r"\1/.../", str(sent.body))
    return str(sent.subject), text


def test_who_forgot_their_password_is_sent_a_link_and_told_what_to_do_with_it() -> None:
    EmailAddress.objects.create(user=person("ada"), email="ada@example.org", verified=True)
    reader().post("/accounts/password/reset/", {"email": "ada@example.org"})
    assert letter() == (
        "[Rostra] Choose a new password",
        (
            "ada, choose a new password here:\n"
            "http://localhost:8000/accounts/password/reset/key/.../\n\n"
            f"If you did not ask for this, leave it alone: your password stays as it is.{SIGNED}"
        ),
    )


def test_who_asks_by_another_host_or_port_sends_nobody_there() -> None:
    EmailAddress.objects.create(user=person("ada"), email="ada@example.org", verified=True)
    window = reader(headers={"Host": "127.0.0.1:6666"})
    window.post("/accounts/password/reset/", {"email": "ada@example.org"})
    assert "\nhttp://localhost:8000/accounts/password/reset/key/.../\n" in letter()[1]


def test_who_has_no_account_and_asks_for_a_new_password_is_told_so_by_mail() -> None:
    reader().post("/accounts/password/reset/", {"email": "who@example.org"})
    subject, text = letter()
    assert subject == "[Rostra] No account has this address"
    assert text.startswith("Somebody asked for a new password, but no account has this address.")
    assert "Sign up here:\nhttp://localhost:8000/accounts/signup/\n\nIf it was not you" in text
    assert text.endswith(SIGNED)


def test_who_signs_up_with_an_address_is_asked_by_mail_to_confirm_it() -> None:
    window = reader()
    answer = window.post("/accounts/signup/", FORM | {"email": "bob@example.org"})
    assert letter() == (
        "[Rostra] Confirm your email address",
        (
            "bob, confirm here that this address is yours:\n"
            "http://localhost:8000/accounts/confirm-email/.../\n\n"
            "If you have no account here, leave it alone: somebody mistyped their "
            f"address.{SIGNED}"
        ),
    )
    page = window.get(answer["Location"]).content.decode()
    assert "A mail is on its way to bob@example.org: press the link in it" in page


def test_who_signs_up_with_an_address_that_has_an_account_hears_of_it_by_mail_alone(
    settings: Any,
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
    EmailAddress.objects.create(user=person("ada"), email="ada@example.org", verified=True)
    reader().post("/accounts/signup/", FORM | {"email": "ada@example.org"})
    subject, text = letter()
    assert subject == "[Rostra] You have an account already"
    assert "choose a new one here:\nhttp://localhost:8000/accounts/password/reset/\n\n" in text
    assert text.endswith(f"If it was not you, leave it alone: nobody got in.{SIGNED}")


def test_nobody_fills_the_letter_box_of_another_with_links_to_a_new_password() -> None:
    wanted = {"email": "ada@example.org"}
    answers = [reader().post("/accounts/password/reset/", wanted) for _ in range(5)]
    assert [one.status_code for one in answers] == [302, 302, 302, 429, 429]
    assert len(mail.outbox) == 3


def test_nobody_sends_mail_to_a_crowd_by_calling_each_address_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window, moment = reader(person("eve")), count(time.time(), 10)
    clock = SimpleNamespace(time=lambda: next(moment), monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr("allauth.core.internal.ratelimit.time", clock)
    for number in range(35):
        added = {"action_add": "", "email": f"a{number}@example.org"}
        window.post("/accounts/email/", added)
    assert len(mail.outbox) == 30
