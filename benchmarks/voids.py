"""Measure how long the worker needs to void many votes and to restore them, while people vote.

Run `.venv/bin/python -m benchmarks.voids [--votes 100000] [--accounts 1000]`.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser
from datetime import timedelta
from itertools import count
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import TYPE_CHECKING

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from django.apps import apps
from django.core.management import call_command
from django.utils import timezone

from benchmarks import inside, rebuild
from benchmarks.sites import ROOT
from voting.types import Target, Vote

if TYPE_CHECKING:
    from forum.models import ModAction, User

VOTERS_A_POST = 100
PAUSE = 0.05
"""Seconds between two votes. People vote about twenty times a second."""


def main() -> None:
    """Create a site, void votes of some accounts and restore them, and print the times."""
    parser = ArgumentParser(description="Measure voiding and restoring votes.")
    parser.add_argument("--votes", type=int, default=100_000)
    parser.add_argument("--accounts", type=int, default=1_000)
    options = parser.parse_args()
    os.environ["VOTES_PER_DAY"] = "20"  # so that no score is computed again meanwhile
    with inside.site():
        _measure(options.votes, options.accounts)


def _measure(votes: int, accounts: int) -> None:
    from forum.moderation.actions import undo, vote_voids  # noqa: PLC0415

    all_votes = votes * rebuild.PEOPLE // accounts
    posts = all_votes // VOTERS_A_POST
    rebuild.make_site(posts, all_votes)
    call_command("rebuild_voting", verbosity=0)
    people = apps.get_model("forum", "User").objects
    admin = people.create(username="admin", is_staff=True, is_superuser=True)
    voided = list(people.order_by("pk")[:accounts])
    voters = list(people.exclude(pk__in=[one.pk for one in voided]).exclude(pk=admin.pk))
    month = timedelta(days=30)
    with subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT) as worker:
        try:
            now = timezone.now()
            action = vote_voids.void_votes(
                voided, group=None, since=now - month, until=now, by=admin, reason="A benchmark"
            )
            _watch(action, "voiding", "done", "total", voters, posts)
            undo.undo(action, by=admin)
            _watch(action, "restoring", "undone", "to_undo", voters, posts)
        finally:
            worker.terminate()
    used = getrusage(RUSAGE_CHILDREN)
    print(f"CPU of the worker: {used.ru_utime + used.ru_stime:.0f} s")
    call_command("check_voting")


def _watch(
    action: "ModAction", name: str, done: str, total: str, voters: "list[User]", posts: int
) -> None:
    """Cast votes until the worker has done all steps, and print how long both took."""
    from forum.store.service import get_voting_service  # noqa: PLC0415

    service, began, times = get_voting_service(), perf_counter(), []
    outbox = apps.get_model("forum", "OutboxItem").objects
    waiting = outbox.exclude(kind="mail")
    for number in count():
        voter, target = voters[number % len(voters)], Target(1 + number * 7 % posts)
        vote = (Vote.UP, Vote.NONE)[number // len(voters) % 2]
        start = perf_counter()
        service.votes.cast(voter.pk, target, vote)
        times.append((perf_counter() - start) * 1_000)
        if number % 20 == 0:
            action.refresh_from_db()
            if action.details[done] >= action.details[total] and not waiting.exists():
                break
        sleep(PAUSE)
    took = perf_counter() - began
    print(
        f"{name} {action.details[done]:,} votes of {len(action.details['people']):,} accounts:"
        f" {took:.0f} s; meanwhile {len(times):,} votes: median {median(times):.1f} ms,"
        f" p99 {quantiles(times, n=100)[-1]:.1f} ms, longest {max(times):.0f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
