"""Processes killed -9 in the middle of their work: nothing lost, nothing twice, nothing half done.

Real processes of the site work on the test's SQL, and reach Redis through a relay that stops them
at the step where they are to die.
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread
from time import sleep

import pytest
from django.conf import settings
from django.db import connection
from django.middleware.csrf import get_token
from django.test import RequestFactory

from benchmarks.soaking.browser import Browser, NoAnswer
from forum.gateway.service import get_voting_service
from forum.ledger.archiver import Archiver
from forum.models import ArchivedVote, LedgerEntry, OutboxItem, Post, User
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.scope import WHOLE
from forum.operations.supervision.bootstrap import BASE
from forum.sync import outbox
from tests.forum.cast import groups, person, post, reader
from tests.ports import free_port
from tests.voting.relays import Relay, relay, server_socket
from tests.waiting import until
from voting.topics import posts, votes
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]
BRAM, CLEO = 900_501, 900_502


@contextmanager
def process(through: Relay, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Python of the site on the test's SQL, with Redis behind the relay; it is killed."""
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
    """Kill a process and all that it started, without a word."""
    if running.poll() is None:
        os.killpg(running.pid, 9)
    running.wait()


@contextmanager
def sql_held() -> Iterator[None]:
    """Hold SQLite's lock for writing, so that nobody can commit."""
    holder = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def archive_all() -> None:
    """Do a worker's work until there is none."""
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
    """A post on which three changes wait to be archived."""
    if connection.vendor != "sqlite" or not settings.EMBEDDED:
        pytest.skip("holds SQLite's lock")
    made = post(person("ada"))
    get_voting_service().votes.cast(BRAM, Target(made.pk), Vote.UP)
    get_voting_service().votes.cast(CLEO, Target(made.pk), Vote.DOWN)
    return made


def assert_archived_once(written: Post) -> None:
    """Assert that each change is in SQL once, and that Redis, SQL and the ledger agree."""
    told = LedgerEntry.objects.order_by("pk").values_list("user_id", "vote")
    assert list(told) == [(written.author_id, 1), (BRAM, 1), (CLEO, -1)]
    assert ArchivedVote.objects.count() == 3
    assert get_voting_service().maintenance.ledger.lag() == 0
    assert list(differences()) == []
    assert list(replay.differences(WHOLE)) == []


def test_a_worker_killed_between_reading_and_committing_loses_nothing(written: Post) -> None:
    """Readers saw nothing of it; archived votes came 15 s later at the most, with the lease."""
    with relay(server_socket()) as way, ExitStack() as held:
        held.enter_context(sql_held())
        with process(way, "manage.py", "worker") as worker:
            until(lambda: way.round_trips > 5, "the worker has read and wants to write")
            sleep(1)
            kill(worker)
        assert LedgerEntry.objects.count() == 0
    archive_all()
    assert_archived_once(written)


def test_a_worker_killed_between_committing_and_trimming_doubles_nothing(written: Post) -> None:
    """Readers saw nothing of it; the next worker drops what is archived and goes on behind it."""
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
    """Serve the test's site by its real web server."""
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
    """A person's browser, logged in by a session that is there already."""

    def __init__(self, port: int, user: User) -> None:
        super().__init__(port)
        request = RequestFactory().get("/")
        self.token = get_token(request)
        self._cookies = {
            "sessionid": reader(user).cookies["sessionid"].value,
            "csrftoken": request.META["CSRF_COOKIE"],
        }

    def send(self, path: str, **form: str) -> None:
        """Send a form to which no answer comes."""
        with pytest.raises(NoAnswer):
            self.post(path, form | {"csrfmiddlewaretoken": self.token})


def killed_while_asked(way: Relay, web: subprocess.Popen[bytes]) -> Thread:
    """Kill the web server as soon as it has come to the step."""

    def wait_and_kill() -> None:
        way.stopped.wait(120)
        kill(web)

    killer = Thread(target=wait_and_kill)
    killer.start()
    return killer


def test_a_web_process_killed_between_sql_and_redis_has_published_the_post(written: Post) -> None:
    """The author's connection broke; the post was in the lists two seconds later."""
    groups("books")
    with relay(server_socket()) as way, website(way) as (web, port):
        member = Member(port, written.author)
        way.stop_before = posts.PUBLISH(settings.VOTING_RULES).sha.encode()
        killer = killed_while_asked(way, web)
        member.send("/submit", kind="text", title="Cut off", body="Text", groups="books")
        killer.join()
    assert way.stopped.is_set(), "it had come to telling Redis"
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


def test_a_web_process_killed_between_redis_and_the_reply_has_counted_the_vote(
    written: Post,
) -> None:
    """The voter's connection broke; pressing the arrow again changed nothing."""
    dina = person("dina")
    with relay(server_socket()) as way, website(way) as (web, port):
        member = Member(port, dina)
        way.stop_after = votes.VOTE(settings.VOTING_RULES).sha.encode()
        killer = killed_while_asked(way, web)
        member.send(f"/p/{written.pk}/vote", vote="up")
        killer.join()
    assert way.stopped.is_set(), "Redis had heard of the vote"
    again = get_voting_service().votes.cast(dina.pk, Target(written.pk), Vote.UP)
    assert (again.changed, again.up) == (False, 3), "it counts, and once"
    archive_all()
    assert list(differences()) == []


def test_a_web_process_killed_before_redis_heard_has_counted_no_vote(written: Post) -> None:
    """The voter's connection broke; pressing the arrow again casts the vote."""
    dina = person("dina")
    with relay(server_socket()) as way, website(way) as (web, port):
        member = Member(port, dina)
        way.stop_before = votes.VOTE(settings.VOTING_RULES).sha.encode()
        killer = killed_while_asked(way, web)
        member.send(f"/p/{written.pk}/vote", vote="up")
        killer.join()
    again = get_voting_service().votes.cast(dina.pk, Target(written.pk), Vote.UP)
    assert (again.changed, again.up) == (True, 3)
