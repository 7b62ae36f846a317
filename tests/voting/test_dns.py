"""Name resolution: with a silent name server, Redis is unavailable and nobody waits for long."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event
from typing import Any

import pytest

from tests.voting.sites import Seconds
from voting.errors import StoreUnavailable
from voting.redis.breaker import PAUSE
from voting.redis.dns import addresses
from voting.service import VotingService, connect
from voting.types import Rules

NOT_ASKED = "did not answer a moment ago"
SILENCE = 600
"""Seconds after which a silent name server answers, if no test lets it answer before."""
numbers = count()


class NameServer:
    """A name server that resolves all names ending in .test to this machine."""

    def __init__(self) -> None:
        self.answers = Event()
        self.asked = self.silent = 0
        self._others = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *more: Any, **options: Any) -> Any:
        if str(host).endswith(".test"):
            self.asked += 1
            self.silent += 1
            self.answers.wait(SILENCE)
            self.silent -= 1
            host = "127.0.0.1"
        return self._others(host, port, *more, **options)


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    """A name server that doesn't answer until the test lets it."""
    one = NameServer()
    monkeypatch.setattr("socket.getaddrinfo", one)
    yield one
    one.answers.set()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A socket that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        one.settimeout(10)
        yield one


@pytest.fixture
def name() -> str:
    """A host name that was not resolved before."""
    return f"valkey-{next(numbers)}.test"


def refusal(site: VotingService) -> str:
    """Return the message of the error with which a ping fails."""
    with pytest.raises(StoreUnavailable) as told:
        site.maintenance.server.ping()
    return str(told.value)


def test_silent_name_server_is_asked_once_and_delays_nobody(
    name_server: NameServer, name: str, seconds: Seconds
) -> None:
    """All four threads of a web process get an error while the name server is still silent."""
    site = connect(f"redis://{name}:6379/0", Rules())
    with ThreadPoolExecutor(4) as threads:

        def told() -> list[str]:
            return list(threads.map(refusal, [site] * 4))

        assert all("Timeout" in one or NOT_ASKED in one for one in told())
        assert all(NOT_ASKED in one for one in told())
        for _ in range(2):
            seconds.now += PAUSE
            assert sorted(NOT_ASKED in one for one in told()) == [False, True, True, True]
    assert name_server.asked == name_server.silent == 1


def test_last_address_is_used_while_the_name_server_is_silent(
    name_server: NameServer, name: str, listener: socket.socket
) -> None:
    name_server.answers.set()
    assert addresses(name, 60) == ("127.0.0.1",)
    name_server.answers.clear()
    refusal(connect(f"redis://{name}:{listener.getsockname()[1]}/0", Rules()))
    listener.accept()[0].close()
    assert (name_server.asked, name_server.silent) == (2, 1)


class Several:
    """A name server with two addresses for each name ending in .test; only the second one works."""

    def __init__(self) -> None:
        self._others = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *more: Any, **options: Any) -> Any:
        if not str(host).endswith(".test"):
            return self._others(host, port, *more, **options)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"127.0.0.{n}", 0)) for n in (2, 1)]


def test_address_that_answers_is_used(
    monkeypatch: pytest.MonkeyPatch, name: str, listener: socket.socket
) -> None:
    monkeypatch.setattr("socket.getaddrinfo", Several())
    refusal(connect(f"redis://{name}:{listener.getsockname()[1]}/0", Rules()))
    listener.accept()[0].close()


def test_timeout_covers_all_addresses_of_a_name(
    monkeypatch: pytest.MonkeyPatch, seconds: Seconds, name: str, listener: socket.socket
) -> None:
    seconds.step = 1
    monkeypatch.setattr("socket.getaddrinfo", Several())
    refusal(connect(f"redis://{name}:{listener.getsockname()[1]}/0", Rules()))
    listener.settimeout(0.1)
    with pytest.raises(TimeoutError):
        listener.accept()


def test_ip_address_is_never_looked_up(name_server: NameServer) -> None:
    for address in ("127.0.0.1", "::1"):
        assert addresses(address, 0) == (address,)
    assert name_server.asked == 0


def test_unknown_name_is_an_error_at_once() -> None:
    with pytest.raises(socket.gaierror):
        addresses("nowhere.invalid", 60)
