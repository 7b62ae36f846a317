"""If a process is killed in the middle of its work, nothing is lost, doubled or half done."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import sleep

import pytest
from django.conf import settings
from django.db import connection
from django.middleware.csrf import get_token
from django.test import RequestFactory

from benchmarks.soaking.browser import Browser, NoAnswer
from forum.ledger.archiver import Archiver
from forum.models import ArchivedVote, LedgerEntry, OutboxItem, Post, User
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.scope import WHOLE
from forum.operations.supervision.bootstrap import BASE
from forum.store import outbox
from forum.store.service import get_voting_service
from tests.forum.factories import groups, person, post, reader
from tests.ports import free_port
from tests.voting.relays import Relay, relay, server_socket
from tests.waiting import until
from voting.topics import posts, votes
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]
BRAM, CLEO = 900_501, 900_502


@contextmanager
def process(through: Relay, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Python process of the site until the `with` block ends, then kill the process."""
    env = os.environ | {
        "FORUM_DATA": str(settings.FORUM_DATA),
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "REDIS_URL": through.url,
        "CACHE_URL": settings.CACHE_URL,
        "WEB_CONCURRENCY": "1",
        "LIMIT_POST": "1000/1",
        "LIMIT_NEW_POST": "1000/1",
    }
    running = subprocess.Popen(
        [sys.executable, *command], cwd=BASE, env=env, start_new_session=True
    )
    try:
        yield running
    finally:
        kill(running)


def kill(running: subprocess.Popen[bytes]) -> None:
    if running.poll() is None:
        os.killpg(running.pid, 9)
    running.wait()


@contextmanager
def locked_sql() -> Iterator[None]:
    """Hold SQLite's write lock until the `with` block ends."""
    holder = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def archive_all() -> None:
    """Copy all votes to SQL, as soon as the killed worker's leases on shards have ended."""
    reader_of_all = Archiver("next")
    until(
        lambda: reader_of_all.step(block_ms=1) or not get_voting_service().maintenance.ledger.lag(),
        "the next worker has the leases",
    )
    while get_voting_service().maintenance.ledger.lag():
        reader_of_all.step(block_ms=1)
    reader_of_all.stop()


@pytest.fixture
def written() -> Post:
    """A post with three votes that are in Redis but not yet in SQL."""
    if connection.vendor != "sqlite" or not settings.EMBEDDED:
        pytest.skip("holds SQLite's lock")
    made = post(person("ada"))
    get_voting_service().votes.cast(BRAM, Target(made.pk), Vote.UP)
    get_voting_service().votes.cast(CLEO, Target(made.pk), Vote.DOWN)
    return made


def assert_archived_once(written: Post) -> None:
    """Assert that SQL has each of the post's three votes exactly once, and that Redis agrees."""
    entries = LedgerEntry.objects.order_by("pk").values_list("user_id", "vote")
    assert list(entries) == [(written.author_id, 1), (BRAM, 1), (CLEO, -1)]
    assert ArchivedVote.objects.count() == 3
    assert get_voting_service().maintenance.ledger.lag() == 0
    assert list(differences()) == []
    assert list(replay.differences(WHOLE)) == []


def test_worker_killed_between_reading_and_committing_loses_nothing(written: Post) -> None:
    """After at most 15 s, the dead worker's leases end, and the next worker saves votes to SQL."""
    with relay(server_socket()) as way, locked_sql():
        with process(way, "manage.py", "worker") as worker:
            until(lambda: way.round_trips > 5, "the worker has read and wants to write")
            sleep(1)
            kill(worker)
        assert LedgerEntry.objects.count() == 0
    archive_all()
    assert_archived_once(written)


def test_worker_killed_between_committing_and_trimming_doubles_nothing(written: Post) -> None:
    with relay(server_socket()) as way:
        way.stop_before = b"XTRIM"
        with process(way, "manage.py", "worker") as worker:
            assert way.stopped.wait(120), "the worker wants to trim"
            kill(worker)
    assert LedgerEntry.objects.count() == 3, "it had committed"
    assert get_voting_service().maintenance.ledger.lag() == 3, "and not trimmed"
    archive_all()
    assert_archived_once(written)


@contextmanager
def website(through: Relay) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run the site's web server; yield the process and the port."""
    port = free_port()
    command = ["-m", "gunicorn", "-c", "python:forum.operations.supervision.webserver"]
    with process(through, *command, "--bind", f"127.0.0.1:{port}") as web:
        until(lambda: _answers(port), "the web server answers")
        yield web, port


def _answers(port: int) -> bool:
    try:
        return Browser(port).get("/healthz").status == 200
    except NoAnswer:
        return False


class Member(Browser):
    """The browser of a person who is logged in."""

    def __init__(self, port: int, user: User) -> None:
        super().__init__(port)
        request = RequestFactory().get("/")
        self.token = get_token(request)
        self._cookies = {
            "sessionid": reader(user).cookies["sessionid"].value,
            "csrftoken": request.META["CSRF_COOKIE"],
        }

    def send(self, path: str, **form: str) -> None:
        """Send a form, and expect the connection to break without a response."""
        with pytest.raises(NoAnswer):
            self.post(path, form | {"csrfmiddlewaretoken": self.token})


def killed_while_asked(way: Relay, web: subprocess.Popen[bytes]) -> Thread:
    """Start a thread that kills the web server while the relay (proxy) holds back a command."""

    def wait_and_kill() -> None:
        way.stopped.wait(120)
        kill(web)

    killer = Thread(target=wait_and_kill)
    killer.start()
    return killer


def test_web_process_killed_between_sql_and_redis_has_published_the_post(written: Post) -> None:
    groups("books")
    with relay(server_socket()) as way, website(way) as (web, port):
        member = Member(port, written.author)
        way.stop_before = posts.PUBLISH(settings.VOTING_RULES).sha.encode()
        killer = killed_while_asked(way, web)
        member.send("/submit", kind="text", title="Cut off", body="Text", groups="books")
        killer.join()
    assert way.stopped.is_set(), "it was about to sync to Redis"
    cut_off = Post.objects.get(title="Cut off")
    assert OutboxItem.waiting_posts().filter(subject_id=cut_off.pk).exists()
    assert cut_off.pk not in [
        row.id for row in get_voting_service().listings.page(Order.NEW, 1).rows
    ]
    until(outbox.repeat, "the worker repeats what was left")
    (row, *_others) = (
        get_voting_service().listings.page(Order.NEW, 1, viewer=written.author_id).rows
    )
    assert (row.id, row.up, row.vote) == (cut_off.pk, 1, Vote.UP)
    assert list(differences()) == []


@pytest.mark.parametrize("reached", [True, False], ids=["after Redis", "before Redis"])
def test_web_process_killed_around_redis_counts_the_vote_once(written: Post, reached: bool) -> None:
    """The voter gets no response and votes again."""
    dina = person("dina")
    with relay(server_socket()) as way, website(way) as (web, port):
        member = Member(port, dina)
        script = votes.VOTE(settings.VOTING_RULES).sha.encode()
        if reached:
            way.stop_after = script
        else:
            way.stop_before = script
        killer = killed_while_asked(way, web)
        member.send(f"/p/{written.pk}/vote", vote="up")
        killer.join()
    assert way.stopped.is_set(), "the web process was killed at the vote"
    again = get_voting_service().votes.cast(dina.pk, Target(written.pk), Vote.UP)
    assert (again.changed, again.up) == (not reached, 3)
    archive_all()
    assert list(differences()) == []
