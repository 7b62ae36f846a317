"""While SQLite is locked or missing, pages and votes work, and other writes get status 503."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from django.db import OperationalError, connection
from django.test import Client

from forum.ledger.archiver import Archiver
from forum.models import Comment, LedgerEntry, Post, User
from forum.operations.repair.check import differences
from forum.store.service import get_voting_service
from tests.faults.test_processes import locked_sql
from tests.forum.factories import PASSWORD, person, post, reader

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]
PATIENCE = 0.2
"""Seconds that a query waits for SQLite's lock in these tests. A real site waits 5 seconds."""
SENTENCE = "The database isn&#x27;t responding, so nothing was saved. Please try again in a moment."

Fault = Callable[[], AbstractContextManager[None]]


@contextmanager
def locked() -> Iterator[None]:
    """Hold SQLite's write lock until the block ends. The site's writes fail after `PATIENCE` s."""
    options = connection.settings_dict["OPTIONS"]
    patience = options["timeout"]
    connection.close()
    options["timeout"] = PATIENCE
    try:
        with locked_sql():
            yield
    finally:
        connection.close()
        options["timeout"] = patience


@contextmanager
def missing() -> Iterator[None]:
    """Hide the SQLite file from the site until the `with` block ends."""
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = "/nowhere/forum.sqlite3"
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = name


every_fault = pytest.mark.parametrize("fault", [locked, missing])


@pytest.fixture
def ada() -> User:
    if connection.vendor != "sqlite":
        pytest.skip("locks SQLite")
    return person("ada")


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, "Knots")


@pytest.fixture
def bob(written: Post) -> Client:
    """The browser of Bob, who is logged in and has already opened a page."""
    browser = reader(person("bob"))
    browser.get("/")
    return browser


@every_fault
def test_lists_come_from_redis_with_the_readers_own_votes(
    written: Post, bob: Client, fault: Fault
) -> None:
    bob.post(f"/p/{written.pk}/vote", {"vote": "up"})
    bob.get("/")
    with fault():
        for browser in (reader(), bob):
            for path in ("/", "/new", "/top?t=day"):
                response = browser.get(path)
                assert response.status_code == 200
                assert "Knots" in response.content.decode()
        assert 'data-vote="up"' in bob.get("/").content.decode()


@every_fault
def test_vote_counts_and_waits_in_the_ledger(written: Post, bob: Client, fault: Fault) -> None:
    with fault():
        assert bob.post(f"/p/{written.pk}/vote", {"vote": "up"}).status_code == 303
        with pytest.raises(OperationalError):
            Archiver("worker").step(block_ms=1)
    assert LedgerEntry.objects.count() == 0, "nothing is half done"
    worker = Archiver("worker")
    get_voting_service().maintenance.ledger.drop_leases("worker")
    while get_voting_service().maintenance.ledger.lag():
        worker.step(block_ms=1)
    assert LedgerEntry.objects.count() == 2
    (row,) = get_voting_service().posts.rows([written.pk])
    assert row.up == 2
    assert list(differences()) == []


@every_fault
def test_posts_and_comments_are_refused_with_a_message_and_nothing_is_half_done(
    written: Post, bob: Client, fault: Fault
) -> None:
    form = {"kind": "text", "title": "Bread", "body": "Text", "groups": "books"}
    sent = (("/submit", form), (f"/p/{written.pk}/comment", {"body": "Well said"}))
    with fault():
        for path, fields in sent:
            response = bob.post(path, fields)
            assert response.status_code == 503
            assert int(response["Retry-After"]) > 0
            assert SENTENCE in response.content.decode()
    assert Post.objects.count() == 1
    assert Comment.objects.count() == 0
    for path, fields in sent:
        assert bob.post(path, fields).status_code == 303, "the same is taken afterwards"
    assert [
        row.up for row in get_voting_service().posts.rows([Post.objects.get(title="Bread").pk])
    ] == [1]


@every_fault
def test_log_in_is_refused_with_a_message(written: Post, fault: Fault) -> None:
    person("carol")
    browser = reader()
    form = {"login": "carol", "password": PASSWORD}
    with fault():
        response = browser.post("/accounts/login/", form)
        assert response.status_code == 503
        assert SENTENCE in response.content.decode()
    assert browser.post("/accounts/login/", form).status_code == 302


@every_fault
def test_nobody_is_logged_out(bob: Client, fault: Fault) -> None:
    with fault():
        assert "Log out" in bob.get("/").content.decode()
    assert "Log out" in bob.get("/").content.decode()


def test_thread_can_be_read_while_another_process_writes(written: Post, bob: Client) -> None:
    with locked():
        assert bob.get(written.get_absolute_url()).status_code == 200
