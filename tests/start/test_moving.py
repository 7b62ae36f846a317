"""`manage.py move_site` moves a site to an external Redis while somebody votes."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from forum.operations.moving import moved_note as notes
from forum.operations.moving.destination import Destination, read_destination
from forum.operations.moving.preflight import check_site, claim_redis, without_claims
from forum.operations.supervision import stop_signals
from forum.operations.supervision.claims import claimed
from forum.operations.supervision.claims import moving as moves
from tests.start.members import Member
from tests.start.site import Site
from tests.start.voters import Voter
from tests.voting.servers import Server, own_server
from tests.waiting import until
from voting.embedded.sockets import socket_url

HURRY = dict.fromkeys(("LIMIT_VOTE", "LIMIT_NEW_VOTE"), "1000000/1")
OPTIONS = {"REDIS_URL": "--redis", "CACHE_URL": "--cache", "DATABASE_URL": "--database"}
NOWHERE = "redis://localhost:1/0"
READ_ONLY = "The site is read-only from now on."
WAITING = "Waiting for the old site to end."
STOPPED = "Not moved. The site is unchanged. You can run the same command again."


@dataclass(frozen=True)
class Moved:
    """A site that has moved. Bram read the post `viewed` before the move, and voted during it."""

    site: Site
    settings: dict[str, str]
    member: Member
    voter: Voter
    viewed: str


@contextmanager
def new_redis(place: Path) -> Iterator[tuple[Server, dict[str, str]]]:
    """Run an empty Redis. Yield the server, and settings for the site's Redis and cache."""
    with own_server(place) as server:
        directory = server.directory
        yield server, {"REDIS_URL": server.url, "CACHE_URL": socket_url(directory, 1)}


def moving(site: Site, settings: dict[str, str], **given: str) -> subprocess.Popen[bytes]:
    """Start `move_site` and return its process.

    `settings` contains the new URLs of Redis, cache and SQL. `given` contains the site's current
    environment variables.
    """
    arguments = [f"{OPTIONS[name]}={address}" for name, address in settings.items()]
    return site.command("move_site", *arguments, **given)


def move(site: Site, settings: dict[str, str], **given: str) -> int:
    """Move a site, and return the exit code of `move_site`."""
    return moving(site, settings, **given).wait(timeout=300)


@contextmanager
def accept_hangups() -> Iterator[None]:
    """Make processes that the test starts react to SIGHUP, even if tests run under `nohup`."""
    before = signal.signal(signal.SIGHUP, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@contextmanager
def stalled_move(site: Site, server: Server) -> Iterator[None]:
    """Wait until `move_site` has made the site read-only, then suspend the new Redis."""
    until(lambda: READ_ONLY in site.output(), "the site is read-only", 240)
    with server.hung():
        yield


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    """A site that moved while Bram voted, and runs again with its new Redis."""
    place = tmp_path_factory.mktemp("moving")
    site = Site(place / "old")
    with new_redis(place) as (_server, settings):
        with site.up(**HURRY) as up:
            member = Member(site)
            viewed = member.posts[3]
            member.read(viewed)
            with Voter(member) as voter:
                file = place / "new.env"
                file.write_text("".join(f"{name}='{url}'\n" for name, url in settings.items()))
                begun = site.command("move_site", "--to", str(file))
                assert begun.wait(timeout=300) == 0, site.output()
            assert up.wait(timeout=120) == 0, "the old site ends by itself"
        with site.up("--no-demo", **settings):
            yield Moved(site, settings, member, voter, viewed)


@pytest.fixture
def here(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """The site's data directory, for tests that run `move_site` within the test process."""
    settings.FORUM_DATA = tmp_path
    before = {number: signal.getsignal(number) for number in stop_signals.SIGNALS}
    yield tmp_path
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.long
def test_acknowledged_votes_are_kept_and_their_voter_stays_logged_in(moved: Moved) -> None:
    assert moved.voter.acknowledged > 0
    assert moved.voter.lost(moved.member) == {}


@pytest.mark.long
def test_redis_agrees_with_sql_and_has_what_sql_does_not(moved: Moved) -> None:
    checked = moved.site.command("check_voting", "--deep", **moved.settings)
    assert checked.wait(timeout=120) == 0, moved.site.output()
    assert f"{moved.viewed}/" in moved.member.read("/history"), "what Bram has viewed"


@pytest.mark.long
def test_old_site_names_the_new_settings_and_does_not_start_without_them(
    moved: Moved, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = moved.site.output()
    assert re.search(r"^Moved: the site was read-only for \d+ seconds\.$", output, re.MULTILINE)
    assert f"  REDIS_URL={moved.settings['REDIS_URL']}" in output
    assert output.count("This site moved on") == 1, "`up` said so when it ended"
    monkeypatch.delenv("REDIS_URL", raising=False)
    with pytest.raises(ImproperlyConfigured, match="set REDIS_URL and start again"):
        notes.refuse(moved.site.data)
    monkeypatch.setenv("REDIS_URL", moved.settings["REDIS_URL"])
    notes.refuse(moved.site.data)
    assert (moved.site.data / "forum.sqlite3").exists()
    assert (moved.site.data / "valkey" / "appendonlydir").is_dir()


def test_site_is_not_moved_while_another_command_uses_it(here: Path) -> None:
    with claimed(here), pytest.raises(CommandError, match="A command other than `up`") as refused:
        call_command("move_site", redis=NOWHERE)
    assert STOPPED in str(refused.value)


@pytest.mark.usefixtures("here")
def test_binary_file_of_addresses_is_refused_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "new.env"
    file.write_bytes(b"REDIS_URL=\xff\n")
    with pytest.raises(CommandError, match="can't decode") as refused:
        call_command("move_site", to=file)
    assert STOPPED in str(refused.value)


def test_cache_alone_needs_no_move() -> None:
    with pytest.raises(CommandError, match="You don't have to move the cache"):
        check_site(Destination(cache=NOWHERE))


def test_addresses_can_be_read_from_a_file_of_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "new.env"
    file.write_text(
        "# Ours\nPRODUCTION=1\n\nREDIS_URL='redis://:a=b@host/0'\nDATABASE_URL=postgres://there\n"
    )
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere/0")
    assert read_destination(file) == Destination(
        redis="redis://:a=b@host/0", database="postgres://there"
    )
    monkeypatch.setenv("REDIS_URL", "redis://:a=b@host/0")
    assert read_destination(file) == Destination(database="postgres://there"), (
        "what is there does not move"
    )


@pytest.mark.long
def test_move_of_a_stopped_site_warns_about_other_processes(tmp_path: Path) -> None:
    site = Site(tmp_path / "old")
    assert move(site, {"REDIS_URL": NOWHERE}) == 1, "a site that has no tables yet"
    assert "The site is not running. Stop any web server or worker" in site.output()
    assert STOPPED in site.output()


def test_second_concurrent_move_is_refused(here: Path) -> None:
    with moves(here), pytest.raises(CommandError, match="Another `move_site` is running"):
        call_command("move_site", redis=NOWHERE)


def test_failed_move_leaves_the_note_of_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)

    def fail() -> None:
        with notes.noted(tmp_path, ["REDIS_URL"]):
            assert "REDIS_URL and start" in str(notes.refusal(tmp_path))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert notes.refusal(tmp_path) is None
    with notes.noted(tmp_path, ["DATABASE_URL"]):
        pass
    with pytest.raises(KeyError):
        fail()
    assert "set DATABASE_URL and start" in str(notes.refusal(tmp_path))


@pytest.mark.parametrize("note", ["", "[]", "{}", "\0"])
def test_unreadable_note_is_refused_with_a_sentence(tmp_path: Path, note: str) -> None:
    (tmp_path / notes.NOTE).write_text(note)
    with pytest.raises(ImproperlyConfigured, match=r"moved\.json can't be read"):
        notes.refuse(tmp_path)


def test_redis_with_content_is_refused_and_left_alone(tmp_path: Path) -> None:
    with new_redis(tmp_path) as (server, settings), server.plain() as plain:
        plain.set("somebody", "else")
        with pytest.raises(CommandError, match="not empty: use an empty one"):
            claim_redis(Destination(settings["REDIS_URL"]))
        assert plain.keys("*") == ["somebody"]


def test_redis_of_an_interrupted_move_can_be_used_again_by_the_same_site(
    here: Path, tmp_path: Path, settings: Any
) -> None:
    with new_redis(tmp_path) as (server, addresses):
        destination = Destination(addresses["REDIS_URL"], addresses["CACHE_URL"])
        assert claim_redis(destination) == []
        server.opened()
        assert claim_redis(destination) == []
        with pytest.raises(KeyError), without_claims():
            raise KeyError
        assert claim_redis(destination) == [], "the end of the move failed"
        settings.FORUM_DATA = here / "another"
        with pytest.raises(CommandError, match="not empty: use an empty one"):
            claim_redis(destination)


def test_unreachable_redis_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="The Redis can't be used: "):
        claim_redis(Destination(socket_url(tmp_path / "nowhere", 0)))


@pytest.mark.faults
def test_killed_move_leaves_the_site_as_it_was_and_can_be_repeated(tmp_path: Path) -> None:
    site = Site(tmp_path / "old")
    with new_redis(tmp_path) as (server, settings), site.up(**HURRY) as up:
        member = Member(site)
        member.vote(member.posts[0], "down")
        assert move(site, settings | {"REDIS_URL": "redis//nowhere"}) == 1
        assert "REDIS_URL: give a URL that starts with redis://" in site.output()
        assert STOPPED in site.output()
        killed = moving(site, settings)
        with stalled_move(site, server):
            assert member.send(f"{member.posts[1]}/vote", vote="down") == 503
            os.kill(killed.pid, signal.SIGKILL)
            killed.wait()
        until(
            lambda: member.send(f"{member.posts[1]}/vote", vote="down") == 303,
            "votes are taken again",
            240,
        )
        assert move(site, settings) == 0, site.output()
        assert up.wait(timeout=120) == 0
        with site.up("--no-demo", **settings):
            assert [member.own_vote(post) for post in member.posts[:2]] == ["down", "down"]
        (site.data / "moved.json").unlink()
        with site.up("--no-demo"):
            assert member.own_vote(member.posts[1]) == "down", "who goes back finds what was there"


@pytest.mark.faults
def test_stopped_move_gives_the_site_back_at_once(tmp_path: Path) -> None:
    site = Site(tmp_path / "old")
    with new_redis(tmp_path) as (server, settings), site.up(**HURRY):
        member = Member(site)
        stopped = moving(site, settings)
        with stalled_move(site, server):
            stopped.send_signal(signal.SIGTERM)
            assert stopped.wait(timeout=120) == 1
        assert STOPPED in site.output()
        member.vote(member.posts[1], "down")
        assert not (site.data / "moved.json").exists()
        assert "filled Redis from SQL" not in site.output().partition(READ_ONLY)[2]


@pytest.mark.faults
def test_move_can_be_stopped_while_it_waits_for_the_old_site_and_repeated(tmp_path: Path) -> None:
    """The test suspends `up`, so that the site doesn't stop and `move_site` keeps waiting."""
    site = Site(tmp_path / "old")
    with new_redis(tmp_path) as (_server, settings):
        with site.up(**HURRY) as up:
            member = Member(site)
            os.kill(up.pid, signal.SIGSTOP)
            try:
                with accept_hangups():
                    stopped = moving(site, settings)
                until(lambda: WAITING in site.output(), "the move waits for the end", 240)
                stopped.send_signal(signal.SIGHUP)
                assert stopped.wait(timeout=120) == 1
            finally:
                os.kill(up.pid, signal.SIGCONT)
            assert STOPPED in site.output()
            assert not (site.data / "moved.json").exists()
            member.vote(member.posts[1], "down")
            assert move(site, settings) == 0, site.output()
            assert up.wait(timeout=120) == 0
        with site.up("--no-demo", **settings):
            assert member.own_vote(member.posts[1]) == "down"
