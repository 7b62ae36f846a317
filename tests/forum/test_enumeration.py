"""Nobody can find out whether an email address has an account."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import unconfirmed
from forum.models import Invitation, User
from forum.moderation.joining import invitations
from tests.forum.factories import (
    PASSWORD,
    emailed_path,
    person,
    person_with_email,
    reader,
    set_policy,
)
from tests.forum.oidc import Provider, signed_up
from tests.forum.round_trips import counted_round_trips
from tests.forum.test_accounts import is_in, log_in, sign_up

pytestmark = pytest.mark.django_db(transaction=True)

KNOWN, UNKNOWN = "ada@example.org", "who@example.org"


class CountingHasher(MD5PasswordHasher):
    """Counts how many password hashes were computed."""

    computed = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).computed += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def _required(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_PREVENT_ENUMERATION = "strict"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
    settings.PASSWORD_HASHERS = [f"{__name__}.{CountingHasher.__name__}"]


@pytest.fixture
def ada() -> User:
    return person_with_email("ada")


def reset(address: str) -> Any:
    return reader().post("/accounts/password/reset/", {"email": address})


def join(address: str) -> Any:
    name = "new" + address.partition("@")[0]
    return sign_up(name, email=address)


def wrong(login: str) -> Any:
    return log_in(login, password="certainly wrong")


def measure(do: Callable[[str], Any], login: str, settings: Any) -> tuple[dict[str, int], str]:
    """Return what a request took, and the response without the login itself."""
    with counted_round_trips(settings) as (to_voting, to_cache):
        wrong("warm-up")  # opens the connections, and loads the scripts
        reader().get("/accounts/signup/")  # loads the site's policy
        CountingHasher.computed = 0
        mail.outbox.clear()
        with (
            to_voting.counting(),
            to_cache.counting(),
            CaptureQueriesContext(connection) as queries,
        ):
            answer = do(login)
        counts = {
            "hashes": CountingHasher.computed,
            "queries": len(queries),
            "voting": to_voting.round_trips,
            "cache": to_cache.round_trips,
            "emails": len(mail.outbox),
        }
    page = answer.content.decode().replace(login, "LOGIN").replace(login.partition("@")[0], "LOGIN")
    page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)
    return counts, f"{answer.status_code} {answer.headers.get('Location')} {page}"


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize("do", [wrong, reset, join])
def test_known_and_unknown_address_look_the_same_and_take_the_same(
    do: Callable[[str], Any], settings: Any
) -> None:
    (known, page), (unknown, other) = (measure(do, login, settings) for login in (KNOWN, UNKNOWN))
    assert known == unknown
    assert page == other
    assert known["hashes"] == (0 if do is reset else 1)
    assert known["emails"] == (0 if do is wrong else 1)


@pytest.mark.usefixtures("ada")
def test_sign_up_with_a_provider_looks_the_same_for_known_and_unknown_addresses(
    school: Provider, settings: Any
) -> None:
    def join_with_provider(address: str) -> Any:
        name = "new" + address.partition("@")[0]
        school.person = {"sub": name, "email": address}
        return signed_up(school, name, email=address)[1]

    known, unknown = (measure(join_with_provider, login, settings) for login in (KNOWN, UNKNOWN))
    assert known == unknown
    assert known[0]["emails"] == 1
    for name in ("newada", "newwho"):
        assert "That user name is taken." in sign_up(name, email="x@y.org").content.decode()


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    ("only", "advice"), [(False, "Log in to it first"), (True, "Ask an admin of this site")]
)
def test_owner_who_comes_from_a_provider_learns_of_the_account_at_once(
    school: Provider, settings: Any, only: bool, advice: str
) -> None:
    settings.OIDC_ONLY = only
    school.person |= {"email": "Ada@Example.org", "email_verified": True}
    _window, answer = signed_up(school, "owner", email=KNOWN)
    assert advice in answer.content.decode()
    assert not User.objects.filter(username="owner").exists()


@pytest.mark.usefixtures("ada")
def test_known_and_unknown_name_take_the_same_at_log_in(settings: Any) -> None:
    known, unknown = (measure(wrong, login, settings) for login in ("ada", "who"))
    assert known == unknown
    assert known[0]["hashes"] == 1


def test_account_without_a_password_takes_as_long_as_others(ada: User, settings: Any) -> None:
    ada.set_unusable_password()
    ada.save()
    assert measure(wrong, KNOWN, settings) == measure(wrong, UNKNOWN, settings)


def test_disabled_and_unconfirmed_accounts_take_as_long_as_others(ada: User, settings: Any) -> None:
    join("una@example.org")
    ada.is_active = False
    ada.save()
    for do in (wrong, reset):
        taken = [measure(do, who, settings) for who in (KNOWN, UNKNOWN, "una@example.org")]
        assert taken[0] == taken[1] == taken[2]


@pytest.mark.usefixtures("ada")
def test_owner_of_an_address_learns_that_somebody_signed_up_with_it() -> None:
    join(KNOWN)
    (sent,) = mail.outbox
    assert sent.to == [KNOWN]
    assert "You already have an account" in sent.subject
    assert "http://localhost:8000/accounts/password/reset/\n" in str(sent.body)
    assert "confirm-email" not in str(sent.body)
    assert EmailAddress.objects.get(email=KNOWN, verified=True).user.username == "ada"


@pytest.mark.usefixtures("ada")
def test_first_log_in_after_a_sign_up_with_a_known_address_looks_the_same(settings: Any) -> None:
    for address in (KNOWN, UNKNOWN):
        join(address)
    limits = settings.ACCOUNT_RATE_LIMITS
    settings.ACCOUNT_RATE_LIMITS = limits | {"confirm_email": ""}  # as if three minutes had passed
    known, unknown = (measure(log_in, f"new{name}", settings) for name in ("ada", "who"))
    assert known == unknown
    assert known[0]["emails"] == 1
    mail.outbox.clear()
    log_in("newada")
    (sent,) = mail.outbox
    assert "You already have an account" in sent.subject
    assert "newada" not in str(sent.body)


@pytest.mark.usefixtures("ada")
def test_name_is_taken_whether_or_not_the_address_was_known() -> None:
    for address in (KNOWN, UNKNOWN):
        join(address)
        name = "new" + address.partition("@")[0]
        assert "That user name is taken." in sign_up(name, email="x@y.org").content.decode()
        assert reader().get(f"/u/{name}/").status_code == 404


@pytest.mark.usefixtures("ada")
def test_sign_up_with_the_address_of_another_account_takes_nothing_from_it() -> None:
    join(KNOWN)
    mail.outbox.clear()
    window = reader()
    assert log_in(KNOWN, window).status_code == 302
    assert window.session["_auth_user_id"] == str(User.objects.get(username="ada").pk)
    reset(KNOWN)
    assert str(mail.outbox[0].body).startswith("ada, choose")


def test_address_that_staff_entered_stays_that_of_the_person() -> None:
    made = person("ada", email=KNOWN)
    join(KNOWN)
    mail.outbox.clear()
    reset(KNOWN)
    assert str(mail.outbox[0].body).startswith(f"{made.username}, choose")


def test_account_is_public_once_its_address_is_confirmed() -> None:
    bob = person("bob")
    join(UNKNOWN)
    assert reader().get("/u/newwho/").status_code == 404
    assert reader().get("/api/v1/people/newwho").status_code == 404
    assert "newwho" not in reader(bob).get("/complete/people?q=newwh").content.decode()
    reader().post(emailed_path())
    assert "newwho" in reader(bob).get("/complete/people?q=newwh").content.decode()
    assert reader().get("/u/newwho/").status_code == 200
    assert reader().get("/api/v1/people/newwho").status_code == 200


def test_account_is_public_once_its_owner_logs_in(settings: Any) -> None:
    join(UNKNOWN)
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    window = reader()
    log_in("newwho", window)
    assert is_in(window)
    assert reader().get("/u/newwho/").status_code == 200


def test_moderators_see_the_record_of_an_unconfirmed_account(stella: User) -> None:
    join(UNKNOWN)
    assert reader(stella).get("/moderation/people/newwho").status_code == 200


def test_unconfirmed_account_does_not_show_among_the_invited(stella: User) -> None:
    set_policy(sign_up="invitation")
    code = invitations.create(by=stella).code
    form = {"username": "newwho", "password1": PASSWORD, "email": UNKNOWN}
    reader().post(f"/accounts/signup/?invitation={code}", form)
    assert User.objects.filter(username="newwho").exists()
    for path in ("/invitations", "/u/stella/invited"):
        assert "newwho" not in reader().get(path, follow=True).content.decode()


def make_old(name: str, days: float) -> None:
    User.objects.filter(username=name).update(date_joined=timezone.now() - timedelta(days=days))


def test_name_is_free_again_after_seven_days_without_confirmation() -> None:
    join(UNKNOWN)
    make_old("newwho", 6.9)
    unconfirmed.delete_old()
    assert "That user name is taken." in join(UNKNOWN).content.decode()
    make_old("newwho", 7.1)
    unconfirmed.delete_old()
    assert not User.objects.filter(username="newwho").exists()
    assert join(UNKNOWN).status_code == 302


def test_a_new_password_by_mail_confirms_the_address() -> None:
    join(UNKNOWN)
    mail.outbox.clear()
    reset(UNKNOWN)
    window, new = reader(), "an even longer sentence"
    page = window.post(window.get(emailed_path())["Location"], {"password1": new, "password2": new})
    assert page.status_code == 302
    make_old("newwho", 8)
    unconfirmed.delete_old()
    log_in("newwho", window, password=new)
    assert is_in(window)


def test_accounts_that_were_confirmed_or_made_by_staff_stay(ada: User) -> None:
    person("cleo", email="cleo@example.org")
    join(UNKNOWN)
    reader().post(emailed_path())
    for name in ("newwho", "cleo", "ada"):
        make_old(name, 100)
    unconfirmed.delete_old()
    assert User.objects.count() == 3


def test_invitation_of_a_deleted_account_can_be_used_again(stella: User) -> None:
    set_policy(sign_up="invitation")
    code = invitations.create(by=stella).code
    form = {"username": "newwho", "password1": PASSWORD, "email": UNKNOWN}
    reader().post(f"/accounts/signup/?invitation={code}", form)
    make_old("newwho", 8)
    unconfirmed.delete_old()
    assert Invitation.objects.get().used_by is None
    assert invitations.find(code) is not None
