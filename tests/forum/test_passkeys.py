"""Rules for adding passkeys and for log-ins with them. Browser tests add and use them."""

from base64 import urlsafe_b64encode
from json import dumps
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from forum.models import Post, SecurityEvent, User
from tests.forum.factories import PASSWORD, person, reader, reauthenticated_reader

pytestmark = pytest.mark.django_db(transaction=True)
ADD = "/accounts/2fa/webauthn/add/"
WRONG = dumps(
    {
        "id": "AA",
        "rawId": "AA",
        "type": "public-key",
        "response": {
            "clientDataJSON": urlsafe_b64encode(
                dumps({"type": "webauthn.get", "challenge": "AA", "origin": "https://x"}).encode()
            ).decode(),
            "authenticatorData": urlsafe_b64encode(bytes(37)).decode(),
            "signature": "AA",
        },
    }
)
"""A browser's answer with a key that nobody has."""


def give_passkey(user: User) -> None:
    Authenticator.objects.create(user=user, type="webauthn", data={"name": "Phone"})


def test_adding_a_passkey_needs_the_password_again(ada: User) -> None:
    assert reader(ada).get(ADD)["Location"].startswith("/accounts/reauthenticate/")
    assert reauthenticated_reader(ada).get(ADD).status_code == 200


def test_an_unconfirmed_address_must_be_confirmed_before_a_passkey_is_added(ada: User) -> None:
    EmailAddress.objects.create(user=ada, email="ada@example.org", verified=False)
    window = reauthenticated_reader(ada)
    assert window.get(ADD)["Location"] == "/accounts/2fa/"
    page = window.get("/accounts/2fa/").content.decode()
    assert f'href="{ADD}"' not in page
    assert "Confirm your email address before you add a passkey." in page


@pytest.mark.parametrize("credential", ["", "1", "{}", '{"id": "x", "response": {}}', "no json"])
def test_forged_answers_add_no_passkey_and_log_nobody_in(ada: User, credential: str) -> None:
    form = {"name": "Phone", "credential": credential}
    window = reauthenticated_reader(ada)
    assert window.get(ADD).status_code == 200
    assert window.post(ADD, form).status_code == 200
    assert not Authenticator.objects.exists()
    guest = Client()
    guest.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    answer = guest.post("/accounts/2fa/webauthn/login/", form)
    assert answer["Location"] == "/accounts/login/"
    assert "_auth_user_id" not in guest.session


def test_refused_passkey_is_in_the_security_log(ada: User) -> None:
    login = Client()
    login.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    login.post("/accounts/2fa/webauthn/login/", {"credential": WRONG})
    TOTP.activate(ada, generate_totp_secret())
    login.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    login.post("/accounts/2fa/authenticate/", {"credential": WRONG})
    refused = SecurityEvent.objects.filter(kind=SecurityEvent.Kind.PASSKEY_FAILURE).order_by("pk")
    assert [one.person for one in refused] == [None, ada]
    assert all(one.network for one in refused)


def test_too_many_refused_passkeys_are_logged_as_a_lock(ada: User) -> None:
    TOTP.activate(ada, generate_totp_secret())
    window = Client()
    window.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    for _number in range(6):
        window.post("/accounts/2fa/authenticate/", {"credential": WRONG})
    kinds = SecurityEvent.objects.filter(person=ada).order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["passkey_failure"] * 5 + ["lock"]


def test_page_of_somebody_with_a_passkey_does_not_say_that_two_factors_are_off(ada: User) -> None:
    give_passkey(ada)
    page = reader(ada).get("/accounts/2fa/").content.decode()
    assert "No authenticator app." in page
    assert "Two-factor authentication is off" not in page


def test_password_alone_does_not_log_in_who_has_a_passkey(ada: User) -> None:
    give_passkey(ada)
    window = Client()
    answer = window.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert answer["Location"].startswith("/accounts/2fa/authenticate/")
    assert "_auth_user_id" not in window.session


def test_a_passkey_is_the_second_factor_that_staff_need(written: Post, settings: Any) -> None:
    settings.PRODUCTION = True
    stella = person("stella", is_staff=True, is_superuser=True)
    assert reader(stella).get("/admin/")["Location"].startswith("/admin/login/")
    give_passkey(stella)
    assert reader(stella).get("/admin/").status_code == 200
    assert reader(stella).get(f"/p/{written.pk}/edit").status_code == 200


def test_nobody_renames_or_removes_the_passkey_of_somebody_else(ada: User, bob: User) -> None:
    give_passkey(ada)
    keys = f"/accounts/2fa/webauthn/keys/{Authenticator.objects.get().pk}"
    window = reauthenticated_reader(bob)
    assert window.post(f"{keys}/remove/").status_code == 404
    assert window.post(f"{keys}/edit/", {"name": "Mine"}).status_code == 404
    assert Authenticator.objects.get().wrap().name == "Phone"


def test_staff_remove_the_only_passkey_of_somebody_who_lost_it(ada: User, admin: Client) -> None:
    give_passkey(ada)
    admin.post(
        f"/admin/mfa/authenticator/{Authenticator.objects.get().pk}/delete/", {"post": "yes"}
    )
    window = Client()
    window.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert window.session["_auth_user_id"] == str(ada.pk)


def test_pages_have_no_inline_script(ada: User) -> None:
    pages = [reader().get("/accounts/login/"), reauthenticated_reader(ada).get(ADD)]
    for page in pages:
        html = page.content.decode()
        assert "passkeys.js" in html
        for script in html.split("<script")[1:]:
            head, _end, text = script.partition(">")
            assert "src=" in head or 'type="application/json"' in head
            assert "src=" not in head or text.startswith("</script>")
