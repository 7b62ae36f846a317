"""Web processes of one machine count together, in files that are as long as they ever need."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import URLResolver, get_resolver
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from forum.observing import shared
from forum.starting.bootstrap import BASE
from tests.forum.test_metrics import figure, read

COUNTING = """
import sys
from forum.observing import meters
meters.request("front", 200, 0.01)
meters.vote("counted")
if sys.argv[1:]:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector
    together = CollectorRegistry()
    MultiProcessCollector(together)
    print(generate_latest(together).decode())
"""


def test_processes_count_together_and_a_new_start_begins_with_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(shared.PLACE, str(tmp_path / "metrics"))
    shared.begin()
    told = ""
    for arguments in ([], [], ["tell"]):
        told = subprocess.run(
            [sys.executable, "-c", COUNTING, *arguments],
            cwd=BASE,
            env=os.environ,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    assert figure(read(told), "rostra_votes_total", outcome="counted") == 3
    count = "rostra_request_seconds_count"
    assert figure(read(told), count, view="front", status="200") == 3
    assert list((tmp_path / "metrics").glob("*.db"))
    shared.begin()
    assert not list((tmp_path / "metrics").glob("*.db"))


BUSY = """
import os, sys
from forum.observing import meters, shared
shared.reserve(os.getpid())
for view in sys.stdin.read().split():
    for status in (200, 302, 403, 404, 405):
        meters.request(view, status, 0.01)
for script in range(100):
    meters.trip(f"a_script_with_a_long_name_{script}", 0.001, failed=True)
print(os.getpid())
"""


def views(urls: URLResolver, above: str = "") -> Iterator[str]:
    """Yield the names by which requests are counted."""
    for one in urls.url_patterns:
        if isinstance(one, URLResolver):
            yield from views(one, f"{above}{one.namespace}:" if one.namespace else above)
        else:
            yield f"{above}{one.name}"


def test_a_process_never_needs_more_room_than_it_took_and_leaves_only_what_it_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(shared.PLACE, str(tmp_path / "metrics"))
    shared.begin()
    process = subprocess.run(
        [sys.executable, "-c", BUSY],
        cwd=BASE,
        env=os.environ,
        input="\n".join({*views(get_resolver()), "none", "static"}),
        capture_output=True,
        text=True,
        check=True,
    )
    pid = int(process.stdout)

    def sizes() -> dict[str, int]:
        files = (tmp_path / "metrics").iterdir()
        return {file.name.removesuffix(f"_{pid}.db"): file.stat().st_size for file in files}

    assert sizes() == shared.RESERVED
    before = told_by_all(tmp_path)
    shared.forget(pid)
    left = sizes()
    assert left.keys() == {"histogram", "counter"}
    assert all(size < shared.RESERVED[kind] for kind, size in left.items())
    assert told_by_all(tmp_path) == before
    shared.reserve(pid)
    assert sizes() == shared.RESERVED, "a later process with the same number goes on"
    assert told_by_all(tmp_path) == before


def told_by_all(place: Path) -> list[str]:
    """Return the figures that are left of processes, but for states."""
    together = CollectorRegistry()
    MultiProcessCollector(together, str(place / "metrics"))  # type: ignore[no-untyped-call]
    told = generate_latest(together).decode()
    return [line for line in told.splitlines() if "rostra_breaker_open" not in line]
