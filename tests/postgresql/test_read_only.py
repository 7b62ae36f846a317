"""A read-only PostgreSQL: a standby, or a server whose disk is nearly full."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from forum.models import Comment, Post, User
from tests.forum.factories import PASSWORD, post, reader

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
SENTENCE = "The database isn&#x27;t responding, so nothing was saved."
READ_ONLY = "SET default_transaction_read_only = {}"


@pytest.fixture
def window(bob: User) -> Any:
    return reader(bob)


@pytest.fixture
def written(bob: User) -> Post:
    return post(bob)


@pytest.fixture
def read_only(window: Any, written: Post) -> Iterator[None]:
    """Make the database connection read-only until the test ends."""
    if connection.vendor != "postgresql":
        pytest.skip("TEST_DATABASE_URL names no PostgreSQL.")
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY.format("on"))
    yield
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY.format("off"))


@pytest.mark.usefixtures("read_only")
def test_text_is_given_back_and_pages_can_be_read(window: Any, written: Post) -> None:
    answer = window.post(f"/p/{written.pk}/comment", {"body": "What I think of it."})
    page = answer.content.decode()
    assert (answer.status_code, SENTENCE in page) == (503, True)
    assert "What I think of it." in page
    assert window.get(written.get_absolute_url()).status_code == 200
    assert not Comment.objects.exists()


@pytest.mark.usefixtures("read_only")
def test_log_in_is_refused_with_a_message(bob: User) -> None:
    answer = reader().post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    assert (answer.status_code, SENTENCE in answer.content.decode()) == (503, True)


@pytest.mark.usefixtures("read_only")
def test_the_site_is_not_ready_and_says_why() -> None:
    answer = reader().get("/readyz")
    assert answer.status_code == 503
    assert "read-only" in answer.json()["missing"]["sql"]
