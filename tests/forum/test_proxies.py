"""The site works if proxies report no IP address, or if there are fewer proxies than configured."""

from typing import Any

import pytest
from django.test import Client

from forum.models import User
from tests.forum.factories import PASSWORD, post, reader
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)
ODD = [(1, "unknown"), (1, "192.0.2.1, _hidden"), (2, "192.0.2.1")]
"""Pairs: the number of trusted proxies, and the value of the X-Forwarded-For header."""


@pytest.fixture(params=ODD, ids=str)
def headers(request: pytest.FixtureRequest, settings: Any) -> dict[str, str]:
    """Set the number of trusted proxies, and return the X-Forwarded-For header."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT, addresses = request.param
    return {"X-Forwarded-For": addresses}


def log_in(password: str, headers: dict[str, str]) -> int:
    form = {"login": "ada", "password": password}
    return Client().post("/accounts/login/", form, headers=headers).status_code


def test_guests_read_threads_and_follow_links(ada: User, headers: dict[str, str]) -> None:
    written = post(ada, kind="link", url="https://example.org/")
    assert reader().get(written.get_absolute_url(), headers=headers).status_code == 200
    assert reader().get(f"/p/{written.pk}/out", headers=headers).status_code == 302


def test_people_log_in_and_sign_up(ada: User, headers: dict[str, str]) -> None:
    assert log_in(PASSWORD, headers) == 302
    form = {"username": "bob", "password1": PASSWORD}
    assert Client().post("/accounts/signup/", form, headers=headers).status_code == 302


def test_all_clients_share_the_limits_of_one_ip_address(
    ada: User, headers: dict[str, str], settings: Any
) -> None:
    settings.LIMITS = settings.LIMITS | {"login": (Window(2, 60),)}
    assert [log_in("wrong", headers) for _ in range(3)] == [200, 200, 429]
