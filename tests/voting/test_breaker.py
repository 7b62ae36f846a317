"""The breaker: requests don't queue for a server that is down."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.voting.relays import relay, server_socket
from tests.voting.sites import PATIENT, Seconds
from voting.redis.breaker import PAUSE, Breaker
from voting.redis.pool import GuardedPool


@pytest.fixture
def breaker(seconds: Seconds) -> Breaker:
    return Breaker()


def test_server_that_answers_may_always_be_asked(breaker: Breaker) -> None:
    for _ in range(5):
        assert breaker.allows()
        breaker.succeeded()


def test_after_a_failure_there_is_no_request_for_a_second(
    breaker: Breaker, seconds: Seconds
) -> None:
    breaker.failed()
    assert not breaker.allows()
    seconds.now += PAUSE - 0.01
    assert not breaker.allows()
    seconds.now += 0.01
    assert breaker.allows()


def test_open_breaker_allows_one_probe_per_pause(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    for _ in range(3):
        seconds.now += PAUSE
        assert [breaker.allows() for _ in range(4)] == [True, False, False, False]


def test_only_one_of_many_threads_gets_the_probe(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    seconds.now += PAUSE
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: breaker.allows(), range(100))).count(True) == 1


def test_successful_probe_closes_the_breaker(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    breaker.succeeded()
    assert [breaker.allows() for _ in range(4)] == [True] * 4


def test_failure_after_recovery_opens_the_breaker_again(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    breaker.succeeded()
    with ThreadPoolExecutor(1) as another:
        another.submit(breaker.failed).result()
    assert not breaker.allows()


def test_failed_probe_starts_a_new_pause(breaker: Breaker, seconds: Seconds) -> None:
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    seconds.now += 0.5
    breaker.failed()
    seconds.now += PAUSE - 0.1
    assert not breaker.allows()
    seconds.now += 0.1
    assert breaker.allows()


@pytest.fixture
def of_a_slow_server(seconds: Seconds) -> Breaker:
    """A breaker that allows probes of the server to take ten times as long as a pause."""
    return Breaker(longest=10 * PAUSE)


def test_there_is_no_second_probe_while_one_is_running(
    of_a_slow_server: Breaker, seconds: Seconds
) -> None:
    breaker = of_a_slow_server
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    seconds.now += 9 * PAUSE
    assert not breaker.allows()
    breaker.failed()
    assert not breaker.allows()
    seconds.now += PAUSE
    assert breaker.allows()


def test_lost_probe_blocks_others_only_for_a_limited_time(
    of_a_slow_server: Breaker, seconds: Seconds
) -> None:
    breaker = of_a_slow_server
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    seconds.now += 10 * PAUSE
    assert [breaker.allows() for _ in range(4)] == [True, False, False, False]


def test_request_from_before_the_probe_does_not_end_it(
    of_a_slow_server: Breaker, seconds: Seconds
) -> None:
    breaker = of_a_slow_server
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()
    with ThreadPoolExecutor(1) as another:
        for end in (breaker.failed, breaker.abandoned):
            another.submit(end).result()
            seconds.now += 2 * PAUSE
            assert not breaker.allows()
    breaker.abandoned()
    seconds.now += PAUSE
    assert breaker.allows()


def test_probe_with_a_broken_connection_ends_when_it_is_released(seconds: Seconds) -> None:
    with relay(server_socket()) as way:
        waits = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), PATIENT)
        pool = GuardedPool.from_url(way.url, **waits)
        pool.breaker.failed()
        seconds.now += PAUSE
        connection = pool.get_connection()
        connection.disconnect()
        pool.release(connection)
        seconds.now += PAUSE
        assert pool.breaker.allows()
