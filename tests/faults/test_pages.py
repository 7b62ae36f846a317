"""Pages work while Redis is hung, killed, full, read-only or empty, and after it has recovered."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from threading import Thread
from typing import Any

import pytest
from django.test import Client

from forum.models import Post, User
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service, patience
from tests.forum.factories import person, post, reader
from tests.forum.past_posts import archive_all
from tests.patience import no_time_passing, people_waiting
from tests.voting.servers import Server, own_server
from tests.waiting import until
from voting.embedded.sockets import socket_url
from voting.types import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]
RESTING = "Voting and rankings are temporarily unavailable"
REFUSED = "Your vote was not counted"

Fault = Callable[[Server], AbstractContextManager[None]]


@contextmanager
def hung(server: Server) -> Iterator[None]:
    """Suspend the server until the `with` block ends. Meanwhile, Redis timeouts are short."""
    with server.hung(), people_waiting():
        yield


@contextmanager
def killed(server: Server) -> Iterator[None]:
    """Kill the server, and restart it when the `with` block ends."""
    server.kill()
    try:
        yield
    finally:
        server.start()


@contextmanager
def emptied(server: Server) -> Iterator[None]:
    """Delete all data of the server. After the `with` block, fill the server from SQL again."""
    archive_all()
    with server.plain() as plain:
        plain.flushall()
    yield
    ensure_filled()


@contextmanager
def replaced(server: Server) -> Iterator[None]:
    """Restart the Redis server without its data. After the `with` block, fill it from SQL."""
    archive_all()
    server.kill()
    rmtree(server.directory / "appendonlydir")
    server.start()
    yield
    ensure_filled()


SILENT: dict[str, Fault] = {
    "hung": hung,
    "killed": killed,
    "emptied": emptied,
    "replaced": replaced,
}
UNWRITABLE: dict[str, Fault] = {"full": Server.full, "read-only": Server.read_only}
every_fault = pytest.mark.parametrize(
    "fault", [*SILENT.values(), *UNWRITABLE.values()], ids=[*SILENT, *UNWRITABLE]
)
every_silence = pytest.mark.parametrize("fault", SILENT.values(), ids=SILENT.keys())
every_refusal = pytest.mark.parametrize("fault", UNWRITABLE.values(), ids=UNWRITABLE.keys())


@pytest.fixture
def server(tmp_path: Path, settings: Any) -> Iterator[Server]:
    """A Redis server for votes and cache that belongs to one test."""
    with own_server(tmp_path) as own:
        settings.REDIS_URL = own.url
        cache = settings.CACHES["default"] | {"LOCATION": socket_url(own.directory, 1)}
        settings.CACHES = {"default": cache}
        get_voting_service.cache_clear()
        own.opened()
        yield own
    get_voting_service.cache_clear()


@pytest.fixture
def ada(server: Server) -> User:
    return person("ada")


@pytest.fixture
def written(ada: User) -> list[Post]:
    """Three posts. The oldest post has the most votes."""
    made = [post(ada, title) for title in ("Knots", "Bread", "Chess")]
    reader(person("bob")).post(f"/p/{made[0].pk}/vote", {"vote": "up"})
    return made


def titles(client: Client, path: str) -> tuple[list[str], str]:
    """Return the titles that a listing shows from top to bottom, and the HTML of the page."""
    response = client.get(path)
    assert response.status_code == 200
    html = response.content.decode()
    found = [title for title in ("Knots", "Bread", "Chess") if title in html]
    return sorted(found, key=html.index), html


@every_silence
def test_pages_come_from_sql_newest_first_with_a_notice(
    server: Server, written: list[Post], fault: Fault
) -> None:
    guest, bob = reader(), reader(person("carol"))
    assert titles(guest, "/")[0] == ["Knots", "Chess", "Bread"]
    with fault(server):
        for client in (guest, bob):
            for path in ("/", "/new", "/top?t=day", "/g/books/"):
                found, html = titles(client, path)
                assert found == ["Chess", "Bread", "Knots"], f"{path} shows the newest first"
                assert RESTING in html
        assert guest.get(written[0].get_absolute_url()).status_code == 200
    until(lambda: RESTING not in titles(guest, "/")[1], "the notice goes by itself")
    assert titles(guest, "/")[0] == ["Knots", "Chess", "Bread"], "the votes are there again"


@every_refusal
def test_server_that_can_not_write_still_serves_rankings(
    server: Server, written: list[Post], fault: Fault
) -> None:
    guest = reader()
    with fault(server):
        assert titles(guest, "/")[0] == ["Knots", "Chess", "Bread"]
        assert guest.get(written[0].get_absolute_url()).status_code == 200
        assert titles(guest, "/top?t=day")[0], "sweeping needs to write, so this comes from SQL"


@every_fault
def test_vote_is_refused_with_a_message_and_not_counted(
    server: Server, written: list[Post], fault: Fault
) -> None:
    bob = reader(person("carol"))
    bob.get("/")
    address = f"/p/{written[1].pk}/vote"
    with fault(server):
        for more in ({}, {"X-Fragment": "list"}):
            response = bob.post(address, {"vote": "up"}, headers=more)
            assert response.status_code == 503
            assert int(response["Retry-After"]) > 0
            assert REFUSED in response.content.decode()

    def again() -> bool:
        return bool(bob.post(address, {"vote": "up"}).status_code == 303)

    until(again, "the same vote is taken when Redis is back")
    (row,) = get_voting_service().posts.rows(
        [written[1].pk], viewer=User.objects.get(username="carol").pk
    )
    assert (row.up, row.vote) == (2, Vote.UP)


@pytest.mark.parametrize(
    "fault", [hung, killed, *UNWRITABLE.values()], ids=["hung", "killed", *UNWRITABLE]
)
def test_post_is_refused_and_its_text_is_given_back(
    server: Server, written: list[Post], fault: Fault
) -> None:
    browser = reader(written[0].author)
    browser.get("/submit")
    with fault(server):
        form = {"kind": "text", "title": "Written meanwhile", "body": "Text", "groups": "books"}
        response = browser.post("/submit", form)
        assert response.status_code == 503
        assert "Written meanwhile" in response.content.decode()
    assert not Post.objects.filter(title="Written meanwhile").exists()


def test_post_written_while_redis_is_empty_waits_in_sql(
    server: Server, written: list[Post]
) -> None:
    browser = reader(written[0].author)
    with emptied(server):
        form = {"kind": "text", "title": "Written meanwhile", "body": "Text", "groups": "books"}
        assert browser.post("/submit", form).status_code == 303
    assert Post.objects.filter(title="Written meanwhile").exists()


@every_silence
def test_nobody_is_logged_out(server: Server, written: list[Post], fault: Fault) -> None:
    browser = reader(written[0].author)
    browser.get("/")
    with fault(server):
        assert "Log out" in titles(browser, "/")[1]


def test_scripts_that_redis_has_lost_are_loaded_again(server: Server, written: list[Post]) -> None:
    bob = reader(person("carol"))
    with server.plain() as plain:
        plain.script_flush()
        assert bob.post(f"/p/{written[1].pk}/vote", {"vote": "up"}).status_code == 303
        plain.script_flush()
        found, html = titles(bob, "/top?t=day")
    assert RESTING not in html
    assert found == ["Bread", "Knots", "Chess"]


class Silence:
    """A fake Redis that accepts and counts connections, and never replies."""

    def __init__(self, path: Path) -> None:
        self.connections: list[socket.socket] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen(16)
        Thread(target=self._let_in, daemon=True).start()

    def _let_in(self) -> None:
        with suppress(OSError):
            while True:
                self.connections.append(self._door.accept()[0])


@pytest.mark.short
@pytest.mark.parametrize("path", ["/", "/new", "/g/", "/g/books/", "/u/ada/", "/p/{}/knots"])
def test_page_waits_for_a_hung_redis_only_once(
    written: list[Post], tmp_path: Path, settings: Any, path: str
) -> None:
    path = path.format(written[0].pk)
    member = reader(person("carol"))
    member.get(path)
    silence = Silence(tmp_path / "s")
    url = f"unix://{tmp_path / 's'}?db=0"
    settings.REDIS_URL = url
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": url}}
    with people_waiting(), no_time_passing():
        assert patience() == 0.5, "the seconds of that wait"
        response = member.get(path)
    assert response.status_code == 200
    assert "Log out" in response.content.decode()
    until(lambda: silence.connections, "a connection arrives")
    assert len(silence.connections) == 1, "session, viewer and listing wait half a second together"
