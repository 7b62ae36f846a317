"""Runs a command, such as pytest, with a cluster of three masters for each pytest worker.

    python -m tests.cluster.run_with_clusters pytest tests/voting tests/forum

Each pytest worker also gets a cache server. The command finds the addresses of the clusters in
TEST_REDIS_URL, and those of the cache servers in TEST_CACHE_URL.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cluster.nodes import running, single

WORKERS = 2


def main(command: Sequence[str]) -> int:
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="clusters-")))
        made = [stack.enter_context(running(place, replicas=False)) for _ in range(WORKERS)]
        caches = [stack.enter_context(single(place)) for _ in range(WORKERS)]
        urls = {
            "TEST_REDIS_URL": " ".join(one.url for one in made),
            "TEST_CACHE_URL": " ".join(f"redis://127.0.0.1:{one.port}/0" for one in caches),
        }
        return subprocess.run(command, env=os.environ | urls, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
