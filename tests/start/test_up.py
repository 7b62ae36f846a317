"""`manage.py up` serves the site, restarts processes that die, and finally stops all processes."""

import os
import signal
import socket
from pathlib import Path

import pytest
from django.core.management import CommandError

from forum.operations.supervision.claims import listen
from tests.ports import free_port
from tests.start.site import Site, child, processes, started_by
from tests.waiting import until


@pytest.mark.short
@pytest.mark.long
def test_up_restarts_what_dies_and_leaves_nothing_running(tmp_path: Path) -> None:
    site = Site(tmp_path / "my data")
    with site.up() as up:
        assert site.answers("")
        first = started_by(up.pid)

        second = site.command("up")
        assert second.wait(timeout=120) == 1
        assert "Rostra is already running with the data in" in site.output()

        victims = [child(up, word) for word in ("gunicorn", "valkey-server", "worker")]
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        until(
            lambda: len(started_by(up.pid).keys() - victims) >= len(first),
            "all processes have started again",
        )
        until(lambda: site.answers(""), "the site answers again")
        last = started_by(up.pid)
    assert up.returncode == 0
    until(lambda: not (first | last).keys() & processes().keys(), "all processes are gone")

    output = site.output()
    assert f"Rostra is at http://localhost:{site.port} (Ctrl-C stops it)." in output
    assert "Log in as ada with rostra-demo-ada, a superuser (/admin/)." in output
    for name in ("The web server", "Valkey", "The worker"):
        assert f"{name} has ended unexpectedly and is restarted." in output


@pytest.mark.faults
def test_next_up_adopts_the_valkey_of_a_killed_one(tmp_path: Path) -> None:
    site = Site(tmp_path)
    killed = site.command("up", HOST="0.0.0.0")
    until(site.answers, "the site answers")
    valkey = child(killed, "valkey-server")
    killed.kill()
    killed.wait()
    assert "Log in as" not in site.output()
    assert "createsuperuser" in site.output()
    with site.up("--no-demo") as up:
        assert valkey in processes()
        last = started_by(up.pid)
    assert up.returncode == 0
    assert "Log in as" not in site.output()
    until(lambda: not ({valkey} | last.keys()) & processes().keys(), "all processes are gone")


def test_port_in_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forum.operations.supervision.claims.LISTEN_SECONDS", 0.0)
    port = free_port()
    refusal = pytest.raises(CommandError, match=f"Can't listen on 127.0.0.1 port {port}")
    with socket.create_server(("127.0.0.1", port)), refusal:
        listen("127.0.0.1", port)
    with listen("127.0.0.1", port) as free:
        assert free.getsockname()[1] == port


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="there is no IPv6 here")
def test_all_addresses_in_ipv6_notation_include_ipv4() -> None:
    port = free_port()
    with listen("::", port):
        for host in ("127.0.0.1", "::1"):
            socket.create_connection((host, port), timeout=10).close()


def test_address_of_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forum.operations.supervision.claims.LISTEN_SECONDS", 0.0)
    with pytest.raises(CommandError, match="use another PORT or HOST"):
        listen("192.0.2.1", 8000)
