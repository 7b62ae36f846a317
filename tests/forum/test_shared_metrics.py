"""`/metrics` reports the sum of the metrics of all web processes on a machine."""

import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from forum.operations.health import process_usage
from forum.operations.supervision.bootstrap import BASE
from tests.forum.test_metrics import figure, read

COUNTING = """
import sys
from forum.config import metrics
metrics.request("front", 200, 0.01)
metrics.vote("counted")
if sys.argv[1:]:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector
    together = CollectorRegistry()
    MultiProcessCollector(together)
    print(generate_latest(together).decode())
"""


def test_metrics_are_the_sum_over_all_web_processes(tmp_path: Path) -> None:
    output = ""
    for arguments in ([], [], ["tell"]):
        output = subprocess.run(
            [sys.executable, "-c", COUNTING, *arguments],
            cwd=BASE,
            env=os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    assert figure(read(output), "rostra_votes_total", outcome="counted") == 3
    count = "rostra_request_seconds_count"
    assert figure(read(output), count, view="front", status="200") == 3


SERVING = """
import sys
from forum.config import metrics
print("ready", flush=True)
sys.stdin.read()
"""


def test_metrics_name_each_web_process_on_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    command = [sys.executable, "-c", SERVING]
    with (
        subprocess.Popen(command, cwd=BASE, stdin=PIPE, stdout=PIPE) as first,
        subprocess.Popen(command, cwd=BASE, stdin=PIPE, stdout=PIPE) as second,
    ):
        for process in (first, second):
            assert process.stdout
            process.stdout.readline()
        usages = dict(process_usage.of_web_processes())
        assert usages.keys() == {process_usage.name_of(each.pid) for each in (first, second)}
        assert all(usage.resident_bytes > 1 << 20 for usage in usages.values())
    assert not dict(process_usage.of_web_processes()), "both have ended"
