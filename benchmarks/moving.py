"""Measure how long `move_site` takes for a large site, and how long the site is read-only.

    .venv/bin/python -m benchmarks.moving [--posts 100000] [--votes 1000000]

Creates a site with as many posts and votes as given, and moves it to a new Valkey and a new
PostgreSQL. PostgreSQL must be installed.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from django.conf import settings
from django.core.management import call_command

from benchmarks import inside
from benchmarks.rebuild import make_site
from tests.postgresql.servers import own_postgres
from voting.embedded import valkey
from voting.embedded.sockets import socket_url


def main() -> None:
    """Create a site, move it to a new Valkey and PostgreSQL, and print the times."""
    parser = ArgumentParser(description="Measure move_site.")
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--votes", type=int, default=1_000_000)
    options = parser.parse_args()
    os.environ["REDIS_PATIENCE"] = "60"  # before the first connection to Redis
    with inside.site():
        make_site(options.posts, options.votes)
        began = perf_counter()
        call_command("rebuild_voting", verbosity=0)
        print(f"rebuild_voting: {perf_counter() - began:.0f} s", flush=True)
        _move(settings.FORUM_DATA)


def _move(folder: Path) -> None:
    new_valkey = valkey.start(folder / "new")
    with ExitStack() as stack:
        stack.callback(new_valkey.stop)
        postgres = stack.enter_context(own_postgres(50))
        places = [f"--redis={socket_url(folder / 'new', 0)}", f"--database={postgres.url}"]
        began = perf_counter()
        subprocess.run([sys.executable, "manage.py", "move_site", *places], check=True)
        print(f"move_site: {perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
