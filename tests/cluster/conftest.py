"""Fixtures of the tests of clusters and sentinels."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.nodes import Cluster, running
from tests.cluster.sentinels import Watched, watched
from tests.cluster.turns import Line, tapped

Report = Callable[[str], object]
"""A function that adds a line to the results of a test. They are printed when the test ends."""


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Iterator[Report]:
    """Return a function that adds a line of text to the results, printed when the test ends."""
    figures: list[str] = []
    yield figures.append
    with capsys.disabled():
        sys.stdout.write("".join(f"\n{line}" for line in figures))


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    """A counter for the round trips of all redis-py connections in this process."""
    return tapped(monkeypatch)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for all tests of one file. No test may damage this cluster."""
    with running(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster that belongs to one test."""
    with running(tmp_path) as made:
        yield made


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Watched]:
    """A master with two replicas and three sentinels, for one test only."""
    with watched(tmp_path) as made:
        yield made
