"""The breaker: requests don't wait for a server that is down."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.voting.relays import relay, server_socket
from tests.voting.sites import PATIENT, Seconds
from voting.redis.breaker import PAUSE, Breaker
from voting.redis.pool import GuardedPool


@pytest.fixture
def breaker(seconds: Seconds) -> Breaker:
    return Breaker()


def start_probe(breaker: Breaker, seconds: Seconds) -> None:
    """Make a breaker stop requests, and move the clock to the end of the breaker's pause."""
    breaker.failed()
    seconds.now += PAUSE
    assert breaker.allows()


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
    start_probe(breaker, seconds)
    breaker.succeeded()
    assert [breaker.allows() for _ in range(4)] == [True] * 4
    with ThreadPoolExecutor(1) as another:
        another.submit(breaker.failed).result()
    assert not breaker.allows(), "the next failure opens it again"


def test_failed_probe_starts_a_new_pause(breaker: Breaker, seconds: Seconds) -> None:
    start_probe(breaker, seconds)
    seconds.now += 0.5
    breaker.failed()
    seconds.now += PAUSE - 0.1
    assert not breaker.allows()
    seconds.now += 0.1
    assert breaker.allows()


@pytest.fixture
def slow_breaker(seconds: Seconds) -> Breaker:
    """A breaker that allows another probe (test request) if one takes over `10 * PAUSE`."""
    return Breaker(longest=10 * PAUSE)


def test_there_is_no_second_probe_while_one_is_running(
    slow_breaker: Breaker, seconds: Seconds
) -> None:
    start_probe(slow_breaker, seconds)
    seconds.now += 9 * PAUSE
    assert not slow_breaker.allows()
    slow_breaker.failed()
    assert not slow_breaker.allows()
    seconds.now += PAUSE
    assert slow_breaker.allows()


def test_lost_probe_blocks_others_only_for_a_limited_time(
    slow_breaker: Breaker, seconds: Seconds
) -> None:
    start_probe(slow_breaker, seconds)
    seconds.now += 10 * PAUSE
    assert [slow_breaker.allows() for _ in range(4)] == [True, False, False, False]


def test_request_from_before_the_probe_does_not_end_it(
    slow_breaker: Breaker, seconds: Seconds
) -> None:
    start_probe(slow_breaker, seconds)
    with ThreadPoolExecutor(1) as another:
        for end in (slow_breaker.failed, slow_breaker.abandoned):
            another.submit(end).result()
            seconds.now += 2 * PAUSE
            assert not slow_breaker.allows()
    slow_breaker.abandoned()
    seconds.now += PAUSE
    assert slow_breaker.allows()


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
