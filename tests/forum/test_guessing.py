"""Somebody who guesses the password of one person: other spellings are no other tries."""

import re
from collections.abc import Sequence

import pytest
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.core.context import request_context
from django.core import mail
from django.test import Client, RequestFactory

from forum.models import User
from tests.forum.cast import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)
STOPPED = "Too many wrong passwords. Wait five minutes"


def guess(names: Sequence[str], hosts: Sequence[str]) -> str:
    """Return the page that a right password brings after five wrong ones."""
    window = Client()
    tries = [*["wrong"] * 5, PASSWORD]
    for attempt, password in enumerate(tries):
        form = {"login": names[attempt % len(names)], "password": password}
        host = hosts[attempt % len(hosts)]
        page = window.post("/accounts/login/", form, headers={"Host": host}).content.decode()
    return page


def test_another_port_behind_the_sites_name_gives_no_new_tries(bob: User) -> None:
    assert STOPPED in guess([bob.username], [f"localhost:{port}" for port in range(1_001, 1_007)])


def test_another_name_of_the_site_gives_no_new_tries(bob: User) -> None:
    assert STOPPED in guess([bob.username], ["localhost", "127.0.0.1", "[::1]"])


@pytest.mark.parametrize("names", [["ada", "ADA", "Ada"], ["sis", "s\u0131s", "\u017fis"]])
def test_letters_that_sql_takes_for_the_same_give_no_new_tries(names: list[str]) -> None:
    """PostgreSQL compares names in capitals, and has more letters for some of those than one."""
    User.objects.create_user(names[0], password=PASSWORD)
    assert STOPPED in guess([*names, names[0], names[0], names[0]], ["localhost"])


def test_who_guesses_at_an_address_of_ipv4_shuts_nobody_else_out(bob: User) -> None:
    """A server that listens to both kinds is told of them all as ::ffff:..., one /64."""
    log_in = {"login": bob.username, "password": PASSWORD}
    for number in range(12):
        wrong = log_in | {"login": f"nobody{number}"}
        Client(REMOTE_ADDR="::ffff:192.0.2.9").post("/accounts/login/", wrong)
    answer = Client(REMOTE_ADDR="::ffff:192.0.2.50").post("/accounts/login/", log_in)
    assert answer.status_code == 302


@pytest.mark.parametrize("login", ["bob", "bob@example.org"])
def test_who_chose_a_new_password_by_mail_need_not_wait_for_the_wrong_ones(
    bob: User, login: str
) -> None:
    EmailAddress.objects.create(user=bob, email="bob@example.org", verified=True, primary=True)
    assert STOPPED in guess([login], ["localhost"])
    window, new = Client(), {"password1": "a-new-one-1", "password2": "a-new-one-1"}
    window.post("/accounts/password/reset/", {"email": "bob@example.org"})
    link = re.search(
        r"//localhost:8000(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body)
    )
    assert link
    window.post(window.get(link[1])["Location"], new)
    form = {"login": login, "password": new["password1"]}
    assert window.post("/accounts/login/", form).status_code == 302


def test_who_is_shut_out_while_they_choose_a_new_password_stays_out(bob: User) -> None:
    """Between reading who they are and saving it lies the hashing, which takes its time."""
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with request_context(RequestFactory().post("/")):
        get_adapter().set_password(bob, "a-new-one-1")
    found = User.objects.get(pk=bob.pk)
    assert found.check_password("a-new-one-1")
    assert not found.is_active
