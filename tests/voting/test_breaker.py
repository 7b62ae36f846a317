"""The breaker: nobody waits in a queue for a server that does not answer."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from voting.breaker import PAUSE, Breaker


class Seconds:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    """The machine's clock."""
    clock = Seconds()
    monkeypatch.setattr("voting.breaker.monotonic", clock)
    return clock


@pytest.fixture
def breaker(seconds: Seconds) -> Breaker:
    return Breaker()


def test_a_server_that_answers_may_always_be_asked(breaker: Breaker) -> None:
    for _ in range(5):
        assert breaker.allows()
        breaker.succeeded()


def test_after_one_failure_nobody_asks_for_a_second(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    assert not breaker.allows()
    seconds.now += PAUSE - 0.01
    assert not breaker.allows()
    seconds.now += 0.01
    assert breaker.allows()


def test_while_open_one_try_in_each_pause_is_let_through(
    breaker: Breaker, seconds: Seconds
) -> None:
    breaker.failed()
    for _ in range(3):
        seconds.now += PAUSE
        assert [breaker.allows() for _ in range(4)] == [True, False, False, False]


def test_of_many_threads_one_gets_the_try(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    seconds.now += PAUSE
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: breaker.allows(), range(100))).count(True) == 1


def test_a_try_that_succeeds_lets_everybody_in_again(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    breaker.succeeded()
    assert [breaker.allows() for _ in range(4)] == [True] * 4


def test_a_try_that_fails_begins_the_pause_anew(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    seconds.now += 0.5
    breaker.failed()
    seconds.now += PAUSE - 0.1
    assert not breaker.allows()
    seconds.now += 0.1
    assert breaker.allows()
