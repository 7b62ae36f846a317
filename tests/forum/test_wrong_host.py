"""A request for another host's pages is refused, also if the site redirects to HTTPS."""

from typing import Any

import pytest

from tests.forum.factories import reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("redirects", [True, False])
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.2", "bad host", "a_b:x"])
@pytest.mark.parametrize("path", ["/", "/p/1/", "/api/v1/posts"])
def test_wrong_host_is_a_bad_request(settings: Any, redirects: bool, host: str, path: str) -> None:
    settings.SECURE_SSL_REDIRECT = redirects
    answer = reader().get(path, headers={"Host": host})
    assert answer.status_code == 400
    assert "The request could not be understood." in answer.content.decode()


def test_form_sent_to_a_wrong_host_is_a_bad_request(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = reader().post("/submit", {"title": "Knots"}, headers={"Host": "evil.example"})
    assert answer.status_code == 400


def test_right_host_is_sent_to_https(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = reader().get("/new?p=2")
    assert (answer.status_code, answer["Location"]) == (301, "https://testserver/new?p=2")
