"""Measures how long `move_site` takes for a large site, and how long nobody can write.

    .venv/bin/python -m benchmarks.moving [--posts 100000] [--votes 1000000]

Makes a site as `benchmarks.rebuild` does, and moves it to a PostgreSQL and a Redis of its own,
which must be installed (as for the tests). People vote on a thousand posts between the copy and
the end of the move.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep

if not __package__:  # started by its path: this folder would hide `voting` and `http`
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from django.apps import apps
from django.conf import settings
from django.core.management import call_command

from benchmarks import inside
from benchmarks.rebuild import make_site
from tests.postgresql.servers import own_postgres
from voting.embedded import valkey
from voting.embedded.sockets import socket_url
from voting.errors import StoreUnavailable
from voting.service import connect
from voting.types import Rules, Target, Vote

VOTED_ON = 1_000


def main() -> None:
    """Make the site, move it, and say how long that took."""
    parser = ArgumentParser(description="Measure move_site.")
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--votes", type=int, default=1_000_000)
    options = parser.parse_args()
    os.environ["REDIS_PATIENCE"] = "60"  # before anything asks Redis
    with inside.site():
        make_site(options.posts, options.votes)
        began = perf_counter()
        call_command("rebuild_voting", verbosity=0)
        print(f"rebuild_voting: {perf_counter() - began:.0f} s", flush=True)
        _move(settings.FORUM_DATA)


def _move(folder: Path) -> None:
    there = valkey.start(folder / "new")
    with ExitStack() as held:
        held.callback(there.stop)
        postgres = held.enter_context(own_postgres(50))
        places = [f"--redis={socket_url(folder / 'new', 0)}", f"--database={postgres.url}"]
        voter = Thread(target=_vote, daemon=True)
        voter.start()
        began = perf_counter()
        subprocess.run([sys.executable, "manage.py", "move_site", *places], check=True)
        print(f"move_site: {perf_counter() - began:.0f} s", flush=True)


def _vote() -> None:
    """Vote down on many posts, one after the other, until the pause."""
    site = connect(settings.REDIS_URL, Rules())
    posts = apps.get_model("forum", "Post").objects.values_list("pk", flat=True)[:VOTED_ON]
    with suppress(StoreUnavailable):
        for post_id in posts:
            sleep(0.02)
            site.cast_vote(1_000_000 + post_id, Target(post_id), Vote.DOWN)


if __name__ == "__main__":
    main()
