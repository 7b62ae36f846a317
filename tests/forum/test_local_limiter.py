"""Rate limits that each process counts by itself while Redis is unavailable."""

import pytest

from forum.identity import local_limiter
from forum.identity.local_limiter import MOST
from voting.errors import Throttled
from voting.types.limits import RateLimit, Window

BUSY = (Window(1, 5), Window(3, 60))
ONCE = (Window(1, 60),)


@pytest.fixture(autouse=True)
def _nothing_counted() -> None:
    local_limiter.memory.clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The limiter's clock: a list with one number, the time in seconds. Tests set the number."""
    now = [0.0]
    monkeypatch.setattr(local_limiter, "monotonic", lambda: now[0])
    return now


def wait(subject: str, windows: tuple[Window, ...] = BUSY) -> int:
    """Try an action once; return the seconds to wait, or 0 if the limiter allowed the action."""
    try:
        local_limiter.check(RateLimit(subject, "login", windows))
    except Throttled as error:
        return error.retry_after_seconds
    return 0


def test_all_windows_are_respected_and_the_reported_wait_is_enough(clock: list[float]) -> None:
    waits = []
    for clock[0] in (0, 3.5, 5, 7, 10, 15, 60, 61, 65):
        waits.append(wait("ada"))
    assert waits == [0, 2, 0, 3, 0, 45, 0, 4, 0]


@pytest.mark.usefixtures("clock")
def test_subjects_do_not_wait_for_each_other() -> None:
    assert [wait(name, ONCE) for name in ("ada", "bob", "ada")] == [0, 0, 60]


def test_only_the_latest_subjects_are_kept(clock: list[float]) -> None:
    wait("ada", ONCE)
    for number in range(MOST - 1):
        wait(f"guest{number}", ONCE)
    clock[0] = 60
    assert wait("ada", ONCE) == 0, "Ada's last hit is the most recent"
    assert wait("bob", ONCE) == 0
    assert wait(f"guest{MOST - 2}", ONCE) == 0, "a minute later"
    assert [wait(name, ONCE) for name in ("ada", "bob")] == [60, 60]
