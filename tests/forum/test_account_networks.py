"""The site remembers for 30 days, as keyed hashes, from which networks an account was used."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.identity import account_networks
from forum.models import AccountNetwork, User
from forum.models.user import viewer_key
from tests.forum.factories import PASSWORD, reader

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
HOME, SCHOOL = "192.0.2.7", "198.51.100.9"


def log_in(person: User, address: str) -> Client:
    window = Client(REMOTE_ADDR=address)
    window.post("/accounts/login/", {"login": person.username, "password": PASSWORD})
    return window


def networks(person: User) -> list[str]:
    return list(AccountNetwork.objects.filter(person=person).values_list("network", flat=True))


def test_network_is_written_once_a_day_and_never_as_an_address(bob: User) -> None:
    for _ in range(2):
        log_in(bob, HOME)
    (network,) = networks(bob)
    assert HOME not in network
    log_in(bob, SCHOOL)
    assert len(set(networks(bob))) == 2


def test_two_accounts_of_one_network_have_the_same_hash(ada: User, bob: User) -> None:
    log_in(ada, HOME)
    log_in(bob, HOME)
    assert networks(ada) == networks(bob)


def test_row_has_the_day_and_the_month_of_its_key(bob: User) -> None:
    log_in(bob, HOME)
    row = AccountNetwork.objects.get()
    assert (row.day, row.month) == (timezone.now().date(), f"{timezone.now():%Y-%m}")


def test_sign_up_writes_the_network_even_if_the_address_must_be_confirmed(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    fields = {"username": "eve", "email": "eve@example.org", "password1": PASSWORD}
    Client(REMOTE_ADDR=HOME).post("/accounts/signup/", fields)
    assert networks(User.objects.get(username="eve"))


def test_visit_elsewhere_is_written_once_in_half_an_hour(bob: User) -> None:
    window = reader(bob, REMOTE_ADDR=HOME)
    window.get("/")
    assert len(networks(bob)) == 1
    cache.delete(viewer_key(bob.pk))
    reader(bob, REMOTE_ADDR=SCHOOL).get("/")
    assert len(networks(bob)) == 1, "the visit goes on"
    User.objects.filter(pk=bob.pk).update(active_at=timezone.now() - timedelta(minutes=31))
    cache.delete(viewer_key(bob.pk))
    reader(bob, REMOTE_ADDR=SCHOOL).get("/")
    assert len(networks(bob)) == 2


def test_further_pages_of_a_visit_write_and_read_nothing(bob: User) -> None:
    window = reader(bob)
    window.get("/")
    with CaptureQueriesContext(connection) as queries:
        window.get("/")
    assert len(queries) == 0


def test_guests_leave_no_network() -> None:
    reader().get("/")
    assert not AccountNetwork.objects.exists()


def test_worker_deletes_networks_after_30_days(bob: User) -> None:
    for days in (29, 31):
        day = (timezone.now() - timedelta(days=days)).date()
        AccountNetwork.objects.create(person=bob, day=day, month=f"{day:%Y-%m}", network="x")
    account_networks.delete_old()
    assert AccountNetwork.objects.get().day == (timezone.now() - timedelta(days=29)).date()
