"""People vote, post and read over HTTP while processes are killed at random."""

import os
import re
import subprocess
import sys

import pytest

from benchmarks.sites import ROOT
from benchmarks.soaking.comparing import explains
from benchmarks.soaking.record import Pressed
from tests.ports import free_port

pytestmark = pytest.mark.faults
LAST = re.compile(r"acknowledged (\d+), lost (\d+), refused \d+, longest outage \d+\.\d s")


def test_kills_of_redis_worker_and_web_processes_lose_nothing_acknowledged() -> None:
    short = ["--seconds", "20", "--people", "12", "--pause", "0.2", "--kill", "2.5"]
    soak = subprocess.run(
        [sys.executable, "-m", "benchmarks.soak", *short, "--port", str(free_port())],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "FORUM_DATA"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    said = LAST.fullmatch(soak.stdout.strip().splitlines()[-1])
    assert said, soak.stdout + soak.stderr
    assert int(said[1]) > 100, soak.stdout
    assert (int(said[2]), soak.returncode) == (0, 0), soak.stdout
    assert "Redis" in soak.stdout.partition("killed: ")[2], "something was killed"
    assert "unexpected" not in soak.stdout, soak.stdout


def pressed(*votes: int | str) -> list[Pressed]:
    """Return votes as `benchmarks.soak` records them.

    A number stands for an acknowledged vote. A text stands for a vote without a response, such as
    "-1" for a down vote that may have been counted or not.
    """
    return [Pressed(int(vote), sure=isinstance(vote, int)) for vote in votes]


@pytest.mark.parametrize(
    ("sent", "changes", "fits"),
    [
        ((1, 0, -1), (1, 0, -1), True),
        ((1, 1), (1,), True),
        ((1,), (), False),
        ((1,), (1, 0, 1), False),
        ((1, -1), (1,), False),
        ((1, -1), (-1, 1), False),
        (("1",), (), True),
        (("1",), (1,), True),
        (("1",), (-1,), False),
        ((1, "0", 1), (1, 0, 1), True),
        ((1, "0", 1), (1,), True),
        ((1, "0", 1), (1, 0), False),
        (("1", -1, -1), (-1, 1, -1), True),
        (("1", -1), (-1, 1), False),
        (("1", -1, -1), (-1, 1, 1, -1), False),
        ((), (), True),
        ((), (1,), False),
    ],
)
def test_soak_detects_lost_doubled_and_reordered_votes(
    sent: tuple[int | str, ...], changes: tuple[int, ...], fits: bool
) -> None:
    assert explains(pressed(*sent), changes) is fits
