"""People log in and sign up with an OpenID Connect provider, under the site's own rules."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from forum.config import openid
from forum.models import Application, Draft, Invitation, SecurityEvent, SitePolicy, User
from tests.forum.factories import (
    PASSWORD,
    person,
    person_with_email,
    post,
    reader,
    reauthenticated_reader,
    set_policy,
)
from tests.forum.oidc import (
    SIGN_UP,
    Provider,
    log_in,
    log_in_again,
    running_provider,
    signed_up,
)

pytestmark = pytest.mark.django_db(transaction=True)
OTHERS = "/accounts/3rdparty/"
SET = "/accounts/password/set/"


@pytest.fixture
def only(school: Provider, settings: Any) -> Provider:
    """A provider that is the only way in."""
    settings.OIDC_ONLY = True
    return school


def is_in(window: Client) -> bool:
    return "_auth_user_id" in window.session


def test_first_log_in_asks_for_a_name_and_the_next_one_does_not(school: Provider) -> None:
    window, answer = signed_up(school)
    assert answer.status_code == 302
    assert window.session["_auth_user_id"] == str(User.objects.get(username="ada").pk)
    assert "Welcome, ada." in window.get("/").content.decode()
    again = Client()
    assert log_in(again, school, next="/about")["Location"] == "/about"
    assert is_in(again)
    assert not SocialToken.objects.exists(), "the provider's tokens aren't stored"


def test_log_in_and_sign_up_pages_have_a_button_for_each_provider(school: Provider) -> None:
    for path in ("/accounts/login/", "/accounts/signup/"):
        page = reader().get(path).content.decode()
        assert "Continue with Our school" in page
        assert 'name="password' in page


def test_site_without_providers_shows_no_button(settings: Any) -> None:
    assert "Continue with" not in reader().get("/accounts/login/").content.decode()
    assert reader().post("/accounts/oidc/school/login/").status_code == 404


@pytest.mark.parametrize("name", ["admin", "a", "a b", "ada\u200b", "taken"])
def test_rules_for_names_hold(school: Provider, name: str) -> None:
    person("taken")
    window, answer = signed_up(school, name)
    assert answer.status_code == 200
    assert 'aria-invalid="true"' in answer.content.decode()
    assert not is_in(window)
    assert User.objects.count() == 1


def test_closed_site_makes_no_account(school: Provider) -> None:
    set_policy(sign_up=SitePolicy.SignUp.CLOSED)
    page = log_in(Client(), school).content.decode()
    assert "Nobody can sign up" in page
    assert not User.objects.exists()


def test_site_that_closes_meanwhile_makes_no_account(school: Provider) -> None:
    window = Client()
    log_in(window, school)
    set_policy(sign_up=SitePolicy.SignUp.CLOSED)
    assert window.post(SIGN_UP, {"username": "ada"}).status_code == 403
    assert not User.objects.exists()


def test_invitation_is_needed_and_used_up(school: Provider, bob: User) -> None:
    set_policy(sign_up=SitePolicy.SignUp.INVITATION)
    assert "if a member invites you" in log_in(Client(), school).content.decode()
    invitation, window = Invitation.objects.create(code="knock", by=bob), Client()
    window.get(f"/accounts/signup/?invitation={invitation.code}")
    assert log_in(window, school)["Location"] == SIGN_UP
    window.post(SIGN_UP, {"username": "ada"})
    assert is_in(window)
    invitation.refresh_from_db()
    assert invitation.used_by == User.objects.get(username="ada")
    school.person = {"sub": "2"}
    other = Client()
    other.get(f"/accounts/signup/?invitation={invitation.code}")
    assert "if a member invites you" in log_in(other, school).content.decode()


def test_application_is_asked_for(school: Provider) -> None:
    set_policy(sign_up=SitePolicy.SignUp.APPLICATION, question="Why do you like knots?")
    window = Client()
    log_in(window, school)
    assert "Why do you like knots?" in window.get(SIGN_UP).content.decode()
    window.post(SIGN_UP, {"username": "ada", "answer": "They hold."})
    assert Application.objects.get().answer == "They hold."
    assert User.objects.get().is_applicant


def test_limits_of_sign_ups_hold(school: Provider, settings: Any) -> None:
    set_policy(sign_ups_a_network=1)
    signed_up(school)
    school.person = {"sub": "2"}
    window, answer = signed_up(school, "eve")
    assert answer.status_code == 429
    assert not is_in(window)
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize(
    "addresses",
    [
        ["ann@evil.example", "ben@evil.example", "cat@evil.example"],
        ["ann@mail.example", "ann+1@mail.example"],
        ["ann@gmail.com", "Ann+spam@gmail.com"],
    ],
)
@pytest.mark.parametrize("typed", ["{}", "other{}", ""])
def test_addresses_that_the_provider_confirmed_count_for_the_limits(
    school: Provider, addresses: list[str], typed: str
) -> None:
    set_policy(sign_ups_a_mail_domain=2)
    for number, address in enumerate(addresses):
        school.person = {"sub": str(number), "email": address, "email_verified": True}
        _window, answer = signed_up(school, f"person{number}", email=typed.format(address))
    assert answer.status_code == 429
    assert User.objects.count() == len(addresses) - 1


def test_confirmed_address_of_the_provider_needs_no_mail(school: Provider) -> None:
    school.person |= {"email": "ada@example.org", "email_verified": True}
    signed_up(school, email="ada@example.org")
    assert EmailAddress.objects.get().verified
    assert User.objects.get().email == "ada@example.org"
    assert mail.outbox == []


def test_provider_never_takes_over_an_account_with_the_same_address(school: Provider) -> None:
    person_with_email("ada")
    school.person |= {"email": "ada@example.org", "email_verified": True}
    window, _answer = signed_up(school, "mallory", email="ada@example.org")
    assert not is_in(window)
    assert not SocialAccount.objects.exists()


def test_second_factor_is_asked_for_after_the_provider(school: Provider) -> None:
    signed_up(school)
    Authenticator.objects.create(user=User.objects.get(), type="webauthn", data={"name": "Phone"})
    window = Client()
    assert log_in(window, school)["Location"].startswith("/accounts/2fa/authenticate/")
    assert not is_in(window)


def test_member_connects_and_disconnects_a_provider_and_gets_mail(school: Provider) -> None:
    ada = person_with_email("ada")
    window = reauthenticated_reader(ada)
    page = window.get(OTHERS).content.decode()
    assert "Connect Our school" in page
    log_in(window, school, process="connect")
    assert SocialAccount.objects.get().user == ada
    assert mail.outbox[0].subject == "[Rostra] Another account was connected"
    other = Client()
    log_in(other, school)
    assert is_in(other)
    assert "Our school" in window.get(OTHERS).content.decode()
    window.post(OTHERS, {"account": SocialAccount.objects.get().pk})
    assert mail.outbox[1].subject == "[Rostra] Another account was disconnected"
    assert not SocialAccount.objects.exists()


def test_security_log_names_the_provider(school: Provider) -> None:
    ada = person_with_email("ada")
    window = reauthenticated_reader(ada)
    log_in(window, school, process="connect")
    log_in(Client(), school)
    window.post(OTHERS, {"account": SocialAccount.objects.get().pk})
    events = SecurityEvent.objects.filter(person=ada).order_by("pk")
    assert list(events.values_list("kind", "details__name")) == [
        ("provider_added", "Our school"),
        ("login", "Our school"),
        ("provider_removed", "Our school"),
    ]
    assert "Logged in <bdi>Our school</bdi>" in window.get("/preferences/security").content.decode()


def test_connecting_needs_the_password_again(school: Provider, ada: User) -> None:
    answer = log_in(reader(ada), school, process="connect")
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    assert not SocialAccount.objects.exists()


def test_account_without_a_password_keeps_its_provider_until_it_has_one(school: Provider) -> None:
    window, _answer = signed_up(school)
    account = {"account": SocialAccount.objects.get().pk}
    assert "Set a password first." in window.post(OTHERS, account).content.decode()
    assert window.get("/accounts/password/change/")["Location"] == SET
    new = {"password1": PASSWORD, "password2": PASSWORD}
    assert window.post(SET, new)["Location"] == SET
    assert not User.objects.get().has_usable_password(), "the provider is asked first"
    assert log_in_again(window, school, window.get(SET)["Location"])["Location"] == SET
    assert window.get(SET).status_code == 200
    assert window.post(SET, new).status_code == 302
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.parametrize("forged", [{"iss": "https://evil.example"}, {"aud": "x"}, {"exp": 1}])
def test_id_token_of_another_issuer_for_another_site_or_of_earlier_is_refused(
    school: Provider, forged: dict[str, Any]
) -> None:
    school.person |= forged
    assert "didn't confirm who you are" in log_in(Client(), school).content.decode()


def test_answer_of_the_provider_works_once(school: Provider) -> None:
    window = Client()
    sent = window.post("/accounts/oidc/school/login/")
    back = school.visit(sent["Location"])
    assert school.asked["code_challenge_method"] == "S256"
    assert window.get(back)["Location"] == SIGN_UP
    assert "didn't confirm who you are" in window.get(back).content.decode()


def test_cancelled_and_failed_log_ins_say_so(school: Provider) -> None:
    school.refuses = True
    window = Client()
    sent = window.post("/accounts/oidc/school/login/")
    answer = window.get(school.visit(sent["Location"]), follow=True)
    assert "You cancelled the log-in." in answer.content.decode()
    school.refuses = False
    sent = window.post("/accounts/oidc/school/login/")
    back = school.visit(sent["Location"]).replace("c0de", "f0rged")
    assert "didn't confirm who you are" in window.get(back).content.decode()
    assert "didn't confirm who you are" in Client().get(back).content.decode()


def test_provider_that_is_down_is_no_error_of_the_site(settings: Any) -> None:
    with running_provider() as provider:
        app = provider.app()
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
    answer = Client().post("/accounts/oidc/school/login/")
    assert "didn't confirm who you are" in answer.content.decode()


def test_only_way_in_leaves_no_password_form(only: Provider) -> None:
    for path in ("/accounts/login/", "/accounts/signup/"):
        page = reader().get(path, {"next": "/submit"}).content.decode()
        assert "Continue with Our school" in page
        assert 'name="password' not in page
        assert "you only need a user name and a password" not in page
        assert "passkey" not in page


def test_only_way_in_refuses_passwords_and_passkeys(only: Provider, ada: User) -> None:
    window = Client()
    window.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    window.post("/accounts/signup/", {"username": "eve", "password1": PASSWORD})
    assert not is_in(window)
    assert list(User.objects.all()) == [ada]
    for path in ("/accounts/password/reset/", "/accounts/2fa/webauthn/login/"):
        assert window.get(path)["Location"] == "/accounts/login/"
    assert reader(ada).get("/accounts/password/change/").status_code == 303
    assert ">Password</a>" not in reader(ada).get("/accounts/email/").content.decode()


def test_rules_of_sign_up_hold_if_a_provider_is_the_only_way_in(only: Provider) -> None:
    set_policy(sign_up=SitePolicy.SignUp.INVITATION)
    assert "if a member invites you" in log_in(Client(), only).content.decode()
    set_policy(sign_up=SitePolicy.SignUp.OPEN)
    window, _answer = signed_up(only)
    assert is_in(window)


def test_forms_may_lead_to_the_provider(school: Provider) -> None:
    policy = Client().get("/accounts/login/")["Content-Security-Policy"]
    assert f"form-action 'self' {school.url}" in policy


@pytest.mark.parametrize("is_new", [True, False])
def test_vote_that_a_guest_began_is_confirmed_after_the_provider(
    school: Provider, bob: User, is_new: bool
) -> None:
    written = post(bob)
    pending = {"next": "/new", "vote": "up", "post": str(written.pk)}
    form = Client().get("/accounts/login/", pending).content.decode()
    assert form.count('<input type="hidden" name="vote" value="up">') == 3, "each way in carries it"
    if not is_new:
        signed_up(school)
    window = Client()
    answer = log_in(window, school, **pending)
    if is_new:
        assert answer["Location"] == SIGN_UP
        answer = window.post(SIGN_UP, {"username": "ada"})
    assert answer["Location"] == "/accounts/pending/?next=/new"
    assert "Vote this up?" in window.get(answer["Location"]).content.decode()
    page = window.post(answer["Location"], {"answer": "yes"}, follow=True).content.decode()
    assert "Your vote was counted" in page


def test_vote_is_forgotten_if_its_guest_never_comes_back_from_the_provider(
    school: Provider, ada: User, bob: User
) -> None:
    signed_up(school, "cleo")
    window, pending = Client(), {"vote": "up", "post": str(post(bob).pk)}
    window.post("/accounts/oidc/school/login/", pending)
    answer = window.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert answer["Location"] == "/"
    window = Client()
    window.post("/accounts/oidc/school/login/", pending)
    assert log_in(window, school)["Location"] == "/"


@pytest.mark.parametrize("is_new", [True, False])
def test_text_that_a_guest_wrote_is_a_draft_after_the_provider(
    school: Provider, bob: User, is_new: bool
) -> None:
    where = f"/p/{post(bob).pk}/comment"
    if not is_new:
        signed_up(school)
    window = Client()
    window.post(where, {"body": "I agree."})
    answer = log_in(window, school, next=where)
    if is_new:
        answer = window.post(SIGN_UP, {"username": "ada"})
    assert "I agree.</textarea>" in window.get(answer["Location"]).content.decode()
    draft = Draft.objects.get()
    assert (draft.author.username, draft.body) == ("ada", "I agree.")


VALID = (
    '[{"id": "school", "name": "S", "url": "https://id.example.org/x", "client_id": "c",'
    ' "secret": "hidden"}]'
)


def test_setting_describes_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OIDC_PROVIDERS", VALID)
    [app] = openid.providers("OIDC_PROVIDERS", ("https",))
    assert (app["provider_id"], app["client_id"], app["secret"]) == ("school", "c", "hidden")
    assert openid.origins([app]) == ["https://id.example.org"]


@pytest.mark.parametrize(
    "wrong",
    [
        *("school", "{}", '["hidden"]', VALID.replace("https", "http"), VALID.replace('"c"', "7")),
        *(VALID.replace("school", "a/b"), f"{VALID[:-1]}, {VALID[1:]}"),
        f"{VALID[:-1]}, {VALID[1:].replace('school', 'club')}",
        VALID.replace('"secret"', '"password"'),
    ],
)
def test_wrong_setting_is_refused_without_showing_secrets(
    monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setenv("OIDC_PROVIDERS", wrong)
    with pytest.raises(ImproperlyConfigured) as refused:
        openid.providers("OIDC_PROVIDERS", ("https",))
    assert str(refused.value).startswith("OIDC_PROVIDERS: give a list")
    assert "hidden" not in str(refused.value)
