"""`/metrics` reports the sum of the metrics of all web processes on a machine."""

import os
import subprocess
import sys
from pathlib import Path

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
