"""A site that requires a confirmed email address, as public sites do."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from forum.store.service import get_voting_service
from tests.forum.factories import PASSWORD, confirm_vote, person, post, reader
from tests.forum.test_accounts import is_in, log_in, sign_up

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _required(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]


def confirmation() -> str:
    """Return the path of the confirmation link in the first email."""
    link = re.search(r"//localhost:8000(/accounts/confirm-email/\S+)", str(mail.outbox[0].body))
    assert link
    return link[1]


def test_account_and_vote_wait_for_the_confirmed_address() -> None:
    written = post(person("bob"))
    window = reader()
    assert "This field is required." in sign_up("ada", window).content.decode()
    pending = {"vote": "up", "post": str(written.pk)}
    sign_up("ada", window, email="ada@example.org", **pending)
    assert not is_in(window)
    assert get_voting_service().posts.rows([written.pk])[0].up == 1
    link = confirmation()
    assert "Confirm" in window.get(link).content.decode()
    window.post(link)
    again = window.get(link).content.decode()
    assert "If you opened it before, your address is already confirmed." in again
    assert 'href="/accounts/email/"' in again
    entered = log_in("ada", window)
    assert is_in(window)
    assert get_voting_service().posts.rows([written.pk])[0].up == 1
    confirm_vote(window, entered)
    assert get_voting_service().posts.rows([written.pk])[0].up == 2


def test_the_page_after_signing_up_says_what_to_do() -> None:
    window = reader()
    html = window.get(sign_up("ada", window, email="ada@example.org")["Location"]).content.decode()
    assert "Open the link in it to confirm your address, then log in." in html
    assert '<a href="/accounts/login/">Log in</a>' in html
    assert "To get another email, wait 3 minutes, then log in again." in html
    link = confirmation()
    assert "Does ada@example.org belong to ada?" in window.get(link).content.decode()
    done = window.post(link, follow=True).content.decode()
    assert "ada@example.org was confirmed. You can now log in." in done


def test_a_person_without_an_address_logs_in_and_is_asked_for_one() -> None:
    person("ada")
    window = reader()
    page = window.get(log_in("ada", window)["Location"]).content.decode()
    assert is_in(window)
    assert "Your account has no email address." in page
    assert '<a href="/accounts/email/">Add an email address</a>' in page


def test_last_address_can_be_removed_only_if_none_is_required(settings: Any) -> None:
    ada = person("ada", email="ada@example.org")
    EmailAddress.objects.create(user=ada, email=ada.email, primary=True, verified=True)
    window = reader(ada)
    window.post("/accounts/reauthenticate/", {"password": PASSWORD})
    removing = {"email": ada.email, "action_remove": ""}
    page = window.post("/accounts/email/", removing, follow=True).content.decode()
    assert "We send your email to ada@example.org, so you can" in page
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    page = window.post("/accounts/email/", removing, follow=True).content.decode()
    assert "ada@example.org was removed." in page
