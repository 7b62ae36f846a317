"""In production, accounts with a password of the demo are refused until they get another one."""

import json
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.test import Client

from forum.api import tokens
from forum.feeds import keys
from forum.models import User
from forum.operations.health import heartbeat
from tests.forum.factories import emailed_path, person, person_with_email, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

PUBLISHED = "rostra-demo-ada"
NEW = "nobody else knows this"
REASON = "Everybody knows the password of ada"
REMEDY = "manage.py changepassword ada"


class CountingHasher(MD5PasswordHasher):
    """Counts how many passwords were compared with a hash."""

    compared = 0

    def verify(self, password: str, encoded: str) -> bool:
        type(self).compared += 1
        return super().verify(password, encoded)


@pytest.fixture
def ada() -> User:
    """Ada, a superuser with the password that the demo prints."""
    made = person_with_email("ada", is_staff=True, is_superuser=True, origin="demo:ada")
    made.set_password(PUBLISHED)
    made.save()
    return made


@pytest.fixture
def production(settings: Any) -> None:
    settings.PRODUCTION = True


def log_in(name: str, password: str, path: str = "/accounts/login/") -> tuple[bool, str]:
    """Try to log in. Return whether it succeeded, and the last page."""
    window = reader()
    page = window.post(path, {"login": name, "password": password}, follow=True)
    return "sessionid" in window.cookies, page.content.decode()


def explains(text: str) -> bool:
    """Return whether a response says why the account is refused, and how to mend it."""
    return REASON in text and REMEDY in text and "reset it by email" in text


def choose_new_password(monkeypatch: pytest.MonkeyPatch, password: str = NEW) -> None:
    """Run `changepassword` as the owner of the site would in a terminal."""
    monkeypatch.setattr("getpass.getpass", lambda **_prompt: password)
    call_command("changepassword", "ada")


@pytest.mark.usefixtures("production")
@pytest.mark.parametrize("login", ["ada", "ADA", "ada@example.org"])
def test_log_in_with_a_published_password_is_refused_with_the_reason(ada: User, login: str) -> None:
    entered, page = log_in(login, PUBLISHED)
    assert not entered
    assert explains(page)


@pytest.mark.usefixtures("production")
def test_admin_log_in_with_a_published_password_is_refused(ada: User) -> None:
    window = reader()
    form = {"username": "ada", "password": PUBLISHED, "login": "ada"}
    entrance = window.post("/admin/login/?next=/admin/", form)
    assert entrance["Location"].startswith("/accounts/login/")
    page = window.post(entrance["Location"], form)
    assert explains(page.content.decode())
    assert window.get("/admin/").status_code == 302


@pytest.mark.usefixtures("production")
def test_nobody_else_logs_in_with_a_published_password_either() -> None:
    bob = person("bob")
    bob.set_password(PUBLISHED)
    bob.save()
    entered, page = log_in("bob", PUBLISHED)
    assert not entered
    assert "manage.py changepassword bob" in page


@pytest.mark.usefixtures("production")
def test_wrong_password_gives_away_nothing(ada: User) -> None:
    entered, page = log_in("ada", "wrong")
    assert not entered
    assert REASON not in page


@pytest.mark.usefixtures("ada")
def test_demo_log_ins_work_outside_production() -> None:
    assert log_in("ada", PUBLISHED)[0]


def test_open_session_ends_and_the_next_page_says_why(ada: User, settings: Any) -> None:
    window = reader(ada)
    assert window.get("/inbox").status_code == 200
    settings.PRODUCTION = True
    page = window.get("/", follow=True).content.decode()
    assert explains(page)
    assert 'href="/u/ada/"' not in page
    assert window.get("/inbox").status_code == 302
    assert window.get("/admin/").status_code == 302


def test_open_session_cannot_write_or_enter_the_admin(ada: User, settings: Any) -> None:
    written = post(ada)
    windows = [reader(ada) for _each in range(4)]
    for window in windows:
        window.get("/")
    settings.PRODUCTION = True
    admin = windows[0].get("/admin/forum/user/", follow=True)
    assert admin.redirect_chain[-1][0].startswith("/accounts/login/")
    assert "/accounts/login/" in windows[1].post(f"/p/{written.pk}/delete")["Location"]
    assert "/accounts/login/" in windows[2].post("/preferences")["Location"]
    again = windows[3].post("/accounts/reauthenticate/", {"password": PUBLISHED})
    assert "/accounts/login/" in again["Location"]
    written.refresh_from_db()
    assert written.deleted_at is None


@pytest.fixture(params=["warm", "cold"])
def is_warm(request: pytest.FixtureRequest) -> bool:
    """Whether the cache already knows Ada from the time before PRODUCTION=1."""
    return bool(request.param == "warm")


@pytest.mark.parametrize("scope", ["read", "vote"])
def test_api_tokens_are_refused_with_the_reason(
    ada: User, settings: Any, is_warm: bool, scope: str
) -> None:
    written = post(person("bob"))
    token = tokens.create(user=ada, name="Script", scopes=[scope])
    headers = {"Authorization": f"Bearer {token}"}

    def call() -> Any:
        if scope == "read":
            return Client().get("/api/v1/inbox", headers=headers)
        path = f"/api/v1/posts/{written.pk}/vote"
        return Client().post(path, {"vote": "up"}, "application/json", headers=headers)

    if is_warm:
        assert call().status_code == 200
    settings.PRODUCTION = True
    answer = call()
    assert answer.status_code == 403
    assert explains(json.loads(answer.content)["detail"])
    ada.set_password(NEW)
    ada.save()
    assert call().status_code == 200


def test_private_feeds_are_refused_with_the_reason(ada: User, settings: Any, is_warm: bool) -> None:
    path = f"/feeds/{keys.create(ada)}/inbox.atom"
    if is_warm:
        assert reader().get(path).status_code == 200
    settings.PRODUCTION = True
    answer = reader().get(path)
    assert answer.status_code == 403
    assert explains(answer.content.decode())
    ada.set_password(NEW)
    ada.save()
    assert reader().get(path).status_code == 200


@pytest.mark.usefixtures("ada", "production")
def test_changepassword_lifts_the_refusal_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not log_in("ada", PUBLISHED)[0]
    choose_new_password(monkeypatch)
    assert log_in("ada", NEW)[0]
    assert reader(User.objects.get(username="ada")).get("/inbox").status_code == 200


@pytest.mark.usefixtures("ada", "production")
def test_password_reset_by_email_lifts_the_refusal_at_once() -> None:
    window = reader()
    window.post("/accounts/password/reset/", {"email": "ada@example.org"})
    form = window.get(emailed_path(), follow=True).redirect_chain[-1][0]
    again = window.post(form, {"password1": PUBLISHED, "password2": PUBLISHED})
    assert "which everybody knows" in again.content.decode()
    window.post(form, {"password1": NEW, "password2": NEW})
    assert log_in("ada", NEW)[0]


@pytest.mark.usefixtures("ada", "production")
def test_published_password_cannot_be_chosen_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="Aborting password change"):
        choose_new_password(monkeypatch, "rostra-demo-kenji")


def test_renamed_demo_account_is_refused_too(ada: User, settings: Any) -> None:
    User.objects.filter(pk=ada.pk).update(username="boss")
    settings.PRODUCTION = True
    window = reader(ada)
    assert "changepassword boss" in window.get("/").content.decode()


@pytest.mark.usefixtures("production")
def test_member_with_the_name_of_a_demo_person_is_not_refused() -> None:
    assert reader(person("ada")).get("/inbox").status_code == 200


@pytest.mark.usefixtures("ada")
def test_deployment_check_names_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(*databases: str) -> None:
        call_command("check", "--deploy", "--tag", "database", *databases)

    with pytest.raises(SystemCheckError, match=r"the passwords of ada: .*changepassword NAME"):
        check("--database", "default")
    check()
    choose_new_password(monkeypatch)
    check("--database", "default")


@pytest.mark.usefixtures("ada")
def test_readiness_names_the_account_and_compares_its_hash_once(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Any:
        return json.loads(reader().get("/readyz").content)["missing"]

    heartbeat.beat()
    assert missing() == {}
    settings.PRODUCTION = True
    settings.PASSWORD_HASHERS = [f"{__name__}.{CountingHasher.__name__}"]
    for _poll in range(3):
        assert "the passwords of ada: " in missing()["passwords"]
        assert CountingHasher.compared == 1
    choose_new_password(monkeypatch)
    for _poll in range(3):
        assert missing() == {}
        assert CountingHasher.compared == 2
