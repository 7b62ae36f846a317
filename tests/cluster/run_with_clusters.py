"""Runs a command with a cluster of three masters, and a cache server, for each pytest worker.

    python -m tests.cluster.run_with_clusters pytest tests/voting tests/forum

The tests find their addresses in TEST_REDIS_URL and TEST_CACHE_URL.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cluster.nodes import ended, node, running

WORKERS = 2


def main(command: Sequence[str]) -> int:
    """Start a cluster and a cache server for each pytest worker, and run the command."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="clusters-")))
        made = [stack.enter_context(running(place, replicas=False)) for _ in range(WORKERS)]
        caches = [node(place) for _ in range(WORKERS)]
        stack.enter_context(ended(caches))
        for one in caches:
            one.start()
        told = {
            "TEST_REDIS_URL": " ".join(one.url for one in made),
            "TEST_CACHE_URL": " ".join(f"redis://127.0.0.1:{one.port}/0" for one in caches),
        }
        return subprocess.run(command, env=os.environ | told, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
