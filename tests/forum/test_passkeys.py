"""Rules for adding passkeys and for log-ins with them. Browser tests add and use them."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client

from forum.models import Post, User
from tests.forum.factories import PASSWORD, person, reader, reauthenticated_reader

pytestmark = pytest.mark.django_db(transaction=True)
ADD = "/accounts/2fa/webauthn/add/"


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
