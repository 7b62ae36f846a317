"""Fixtures of the tests of clusters."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.nodes import Cluster, running
from tests.cluster.sentinels import Watched, watched
from tests.cluster.turns import Line, tapped

Report = Callable[[str], object]
"""Tells figures to whoever runs the tests."""


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Iterator[Report]:
    """Collect figures and print them when the test ends."""
    figures: list[str] = []
    yield figures.append
    with capsys.disabled():
        sys.stdout.write("".join(f"\n{line}" for line in figures))


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    """The round trips of redis-py's connections."""
    return tapped(monkeypatch)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for tests that don't damage it."""
    with running(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of the test's own, to be damaged."""
    with running(tmp_path) as made:
        yield made


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Watched]:
    """A master with two replicas and three sentinels, of the test's own."""
    with watched(tmp_path) as made:
        yield made
