"""Another browser, host name or spelling of a user name gives no more password attempts."""

from collections.abc import Callable, Sequence

import pytest
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.core.context import request_context
from django.test import Client, RequestFactory

from forum.identity import known_browsers
from forum.models import User
from tests.forum.factories import PASSWORD, emailed_path, person

pytestmark = pytest.mark.django_db
STOPPED = "Too many failed log-in attempts. Please wait five minutes"


def guess(names: Sequence[str], hosts: Sequence[str]) -> str:
    """Try five wrong passwords, then the right one. Return the HTML after the last try."""
    window = Client()
    tries = [*["wrong"] * 5, PASSWORD]
    for attempt, password in enumerate(tries):
        form = {"login": names[attempt % len(names)], "password": password}
        host = hosts[attempt % len(hosts)]
        page = window.post("/accounts/login/", form, headers={"Host": host}).content.decode()
    return page


def test_another_port_gives_no_new_attempts(bob: User) -> None:
    assert STOPPED in guess([bob.username], [f"localhost:{port}" for port in range(1_001, 1_007)])


def test_another_host_name_gives_no_new_attempts(bob: User) -> None:
    assert STOPPED in guess([bob.username], ["localhost", "127.0.0.1", "[::1]"])


@pytest.mark.parametrize("names", [["ada", "ADA", "Ada"], ["sis", "s\u0131s", "\u017fis"]])
def test_letters_that_sql_treats_as_equal_give_no_new_attempts(names: list[str]) -> None:
    """PostgreSQL compares names in upper case, where some different letters become equal."""
    person(names[0])
    assert STOPPED in guess([*names, names[0], names[0], names[0]], ["localhost"])


def log_in(window: Client, name: str, password: str) -> str:
    """Log in, and return the HTML of the next page."""
    form = {"login": name, "password": password}
    return window.post("/accounts/login/", form, follow=True).content.decode()


def known_browser(user: User) -> Client:
    """Return a browser in which the person has logged in and out before."""
    window = Client()
    log_in(window, user.username, PASSWORD)
    window.post("/accounts/logout/")
    return window


@pytest.mark.parametrize("login", ["bob", "BOB", "bob@example.org", "bob@work.example"])
def test_a_stranger_cannot_lock_a_person_out_of_a_known_browser(bob: User, login: str) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    EmailAddress.objects.create(user=bob, email="bob@example.org", verified=True, primary=True)
    EmailAddress.objects.create(user=bob, email="bob@work.example", verified=True)
    window = known_browser(bob)
    assert STOPPED in guess([login], ["localhost"])
    assert "Log out" in log_in(window, login, PASSWORD)


def test_guessing_in_a_known_browser_is_stopped_there_alone(bob: User) -> None:
    window = known_browser(bob)
    for _attempt in range(5):
        log_in(window, bob.username, "wrong")
    assert STOPPED in log_in(window, bob.username, PASSWORD)
    assert "Log out" in log_in(known_browser(bob), bob.username, PASSWORD)


def test_a_browser_known_for_one_login_gives_no_new_attempts_at_another(bob: User) -> None:
    mallory = person("mallory")
    assert STOPPED in guess([bob.username], ["localhost"])
    assert STOPPED in log_in(known_browser(mallory), bob.username, PASSWORD)


def test_a_forged_cookie_gives_no_new_attempts(bob: User) -> None:
    kept = known_browser(bob).cookies[known_browsers.COOKIE].value
    assert STOPPED in guess([bob.username], ["localhost"])
    for forged in ("", ".", "a" * 4_000, f"0{kept}", kept.replace(":", ".")):
        window = Client()
        window.cookies[known_browsers.COOKIE] = forged
        assert STOPPED in log_in(window, bob.username, PASSWORD)


def test_a_browser_stores_its_last_logins_unreadably() -> None:
    window = Client(REMOTE_ADDR="192.0.2.9")
    people = [person(f"guest{n}") for n in range(8)]
    for one in people:
        log_in(window, one.username, PASSWORD)
        window.post("/accounts/logout/")
    kept = window.cookies[known_browsers.COOKIE]
    assert kept["path"] == "/accounts/"
    assert kept["httponly"]
    assert len(kept.value) < 250
    assert "guest" not in kept.value
    for one, stopped in ((people[0], True), (people[-1], False)):
        guess([one.username], ["localhost"])
        assert (STOPPED in log_in(window, one.username, PASSWORD)) == stopped
        window.post("/accounts/logout/")


def test_guessing_from_one_ipv4_address_does_not_block_others(bob: User) -> None:
    """Each IPv4 address has its own limit, even if IPv6 sockets report the address as ::ffff:..."""
    log_in = {"login": bob.username, "password": PASSWORD}
    for number in range(12):
        wrong = log_in | {"login": f"nobody{number}"}
        Client(REMOTE_ADDR="::ffff:192.0.2.9").post("/accounts/login/", wrong)
    answer = Client(REMOTE_ADDR="::ffff:192.0.2.50").post("/accounts/login/", log_in)
    assert answer.status_code == 302


@pytest.mark.parametrize(
    "choosing", [lambda bob: Client(), known_browser], ids=["new browser", "known browser"]
)
@pytest.mark.parametrize("login", ["bob", "bob@example.org"])
def test_a_new_password_resets_the_limit_on_failed_log_ins(
    bob: User, login: str, choosing: Callable[[User], Client]
) -> None:
    """The limit is reset for all browsers, including those in which the person never logged in."""
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    EmailAddress.objects.create(user=bob, email="bob@example.org", verified=True, primary=True)
    window, new = choosing(bob), {"password1": "a-new-one-1", "password2": "a-new-one-1"}
    assert STOPPED in guess([login], ["localhost"])
    window.post("/accounts/password/reset/", {"email": "bob@example.org"})
    window.post(window.get(emailed_path())["Location"], new)
    assert "Log out" in log_in(Client(), login, new["password1"])
    assert "Log out" in log_in(window, login, new["password1"])


def test_setting_a_password_does_not_reactivate_an_account(bob: User) -> None:
    """Staff deactivate the account while the site still hashes the new password."""
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with request_context(RequestFactory().post("/")):
        get_adapter().set_password(bob, "a-new-one-1")
    found = User.objects.get(pk=bob.pk)
    assert found.check_password("a-new-one-1")
    assert not found.is_active
