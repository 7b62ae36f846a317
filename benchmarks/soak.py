"""Simulate many people on a site, and kill the site's processes at random.

At the end, the benchmark compares all responses with the data in SQL and Redis.

    .venv/bin/python -m benchmarks.soak [--seconds 1200] [--people 50] [--pause 0.4] [--kill 8]

Uses the site that `manage.py up` runs on PORT with FORUM_DATA. If no site runs there, the soak
starts one in a temporary folder. On your own site, set high LIMIT_* variables, or most actions are
refused. Processes can be killed only on Linux, and Redis only if it is embedded. The last line
reads `acknowledged A, lost L, refused R, longest outage S s`. The exit status is 1 unless L is 0.
"""

import sys
from pathlib import Path

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from secrets import token_hex
from tempfile import TemporaryDirectory, gettempdir
from threading import Event, Thread
from time import sleep

import django
from django.apps import apps
from django.conf import settings

from benchmarks.sites import ROOT, rostra
from benchmarks.soaking.comparing import differences
from benchmarks.soaking.killing import Killer
from benchmarks.soaking.people import Person
from benchmarks.soaking.record import Fate, Record

GROUP = "soak"
ACTIONS = ("VOTE", "COMMENT", "POST", "FOLLOW", "SIGNUP", "LOGIN")
GENEROUS = {f"LIMIT_{one}": "1000000/1" for one in ACTIONS} | {
    f"LIMIT_NEW_{one}": "1000000/1" for one in ACTIONS[:4]
}
LOG = Path(gettempdir()) / "rostra-soak.log"
JOINING_AT_ONCE = 4
SHOWN = 50
"""Maximum number of differences to print."""


def main() -> None:
    """Run the soak, compare responses with SQL and Redis, and print the result."""
    options = _options()
    with _site(options.port, options.data) as (port, data):
        os.environ |= {"FORUM_DATA": str(data), "PORT": str(port)}
        os.environ["DJANGO_SETTINGS_MODULE"] = "forum.settings"
        django.setup()
        apps.get_model("forum", "Group").objects.get_or_create(slug=GROUP, title="Soak")
        record, run = Record(), token_hex(3)
        killer = Killer(data, settings.REDIS_URL, embedded=settings.EMBEDDED)
        _soak(options, port, run, record, killer)
        lost = list(differences(record, run))
    _report(record, killer, lost)
    sys.exit(1 if lost else 0)


def _options() -> Namespace:
    parser = ArgumentParser(description="Kill parts of a busy site and look for what is lost.")
    parser.add_argument("--seconds", type=float, default=1_200, help="how long (1200)")
    parser.add_argument("--people", type=int, default=50, help="how many people (50)")
    parser.add_argument("--pause", type=float, default=0.4, help="seconds between two deeds of one")
    parser.add_argument("--kill", type=float, default=8, help="seconds between two kills, 0: none")
    port = int(os.environ.get("PORT") or 8000)
    parser.add_argument("--port", type=int, default=port, help="the site's port (PORT)")
    data = os.environ.get("FORUM_DATA") or str(ROOT / "var")
    parser.add_argument("--data", type=Path, default=Path(data), help="its data (FORUM_DATA)")
    return parser.parse_args()


@contextmanager
def _site(port: int, data: Path) -> Iterator[tuple[int, Path]]:
    """Yield the port and data folder of the running site. If no site runs, start a site."""
    if _answers(port):
        print(f"Soaking the site on port {port} with its data in {data.absolute()}.")
        yield port, data.absolute()
        return
    with (
        TemporaryDirectory(prefix="rostra-soak-", ignore_cleanup_errors=True) as folder,
        LOG.open("wb") as log,
        rostra(log, FORUM_DATA=folder, SAME_TEXT="0", **GENEROUS) as site,
    ):
        print(f"Nothing answers on port {port}: soaking a site of our own; it complains to {LOG}.")
        yield site.port, Path(folder)


def _answers(port: int) -> bool:
    connection = HTTPConnection("localhost", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _soak(options: Namespace, port: int, run: str, record: Record, killer: Killer) -> None:
    people = [Person(port, number, run, GROUP, record) for number in range(options.people)]
    with ThreadPoolExecutor(JOINING_AT_ONCE) as pool:
        list(pool.map(Person.join, people))
        list(pool.map(Person.begin, people[: JOINING_AT_ONCE * 2]))
    print(f"{len(people)} people have signed up and logged in.", flush=True)
    ended = Event()
    with ThreadPoolExecutor(len(people)) as pool:
        living = [pool.submit(person.live, ended, options.pause) for person in people]
        killing = Thread(target=killer.work, args=(ended, options.kill), daemon=True)
        if options.kill:
            killing.start()
        sleep(options.seconds)
        ended.set()
        for one in living:
            one.result()


def _report(record: Record, killer: Killer, lost: list[str]) -> None:
    for sentence in lost[:SHOWN]:
        print(sentence)
    if len(lost) > SHOWN:
        print(f"... and {len(lost) - SHOWN} more")
    for what, times in record.surprises.most_common():
        print(f"unexpected, {times} times: {what}")
    print("killed:", ", ".join(f"{name} {n} times" for name, n in killer.killed.items()) or "none")
    pages = ", ".join(f"{status}: {n}" for status, n in sorted(record.pages.items()))
    print(f"pages by status: {pages}")
    print(f"actions that got no answer: {record.fates[Fate.UNKNOWN]}")
    refused = record.fates[Fate.REFUSED] + record.fates[Fate.TURNED_AWAY]
    print(
        f"acknowledged {record.fates[Fate.ACKNOWLEDGED]}, lost {len(lost)}, "
        f"refused {refused}, longest outage {record.longest_outage:.1f} s"
    )


if __name__ == "__main__":
    main()
