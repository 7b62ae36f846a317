"""Measure how long `rebuild_voting` takes for a large site.

    .venv/bin/python -m benchmarks.rebuild [--posts 100000] [--votes 1000000]

All posts are less than a week old, so that the rebuild also loads voter sets.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from django.apps import apps
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from benchmarks import inside

PEOPLE, GROUPS, IN_GROUPS = 2_000, 20, 3
PIECE = 5_000
TARGET_SECONDS = 180


def main() -> None:
    """Create a site, fill Redis from SQL, and print the times."""
    parser = ArgumentParser(description="Measure rebuild_voting.")
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--votes", type=int, default=1_000_000)
    options = parser.parse_args()
    with inside.site():
        _measure(options.posts, options.votes)


def _measure(posts: int, votes: int) -> None:
    make_site(posts, votes)
    for state in ("an empty Redis", "a full Redis"):
        began = perf_counter()
        call_command("rebuild_voting", verbosity=0)
        took = perf_counter() - began
        print(f"rebuild_voting of {state}: {took:.0f} s (to reach: {TARGET_SECONDS} s)", flush=True)


def make_site(posts: int, votes: int) -> None:
    """Fill an empty database with posts and votes."""
    began = perf_counter()
    with transaction.atomic():
        _people()
        _posts(posts, votes // posts)
    print(f"made {posts:,} posts and {votes:,} votes in {perf_counter() - began:.0f} s", flush=True)


def _people() -> None:
    apps.get_model("forum", "User").objects.bulk_create(
        _made("User", username=f"p{n}") for n in range(PEOPLE)
    )
    apps.get_model("forum", "Group").objects.bulk_create(
        _made("Group", slug=f"g{n}", title=f"Group {n}") for n in range(GROUPS)
    )


def _posts(count: int, voters: int) -> None:
    chance, now = Random(1), timezone.now().replace(microsecond=0)
    post, vote = apps.get_model("forum", "Post"), apps.get_model("forum", "ArchivedVote")
    people = list(apps.get_model("forum", "User").objects.values_list("pk", flat=True))
    groups = list(apps.get_model("forum", "Group").objects.values_list("pk", flat=True))

    def rows() -> Iterator[tuple[Any, list[int]]]:
        for number in range(count):
            cast = chance.sample(people, voters)
            made = now - timedelta(seconds=518_400 * number / count)
            ups = voters - voters // 5
            kept = {"up": ups, "down": voters - ups, "author_id": cast[0], "created_at": made}
            yield _made("Post", kind="text", title=f"Post {number}", score=0, **kept), cast

    made_rows = rows()
    while some := list(islice(made_rows, PIECE)):
        posts = post.objects.bulk_create([one for one, _cast in some])
        post.groups.through.objects.bulk_create(
            post.groups.through(post_id=one.pk, group_id=group)
            for one in posts
            for group in chance.sample(groups, IN_GROUPS)
        )
        _insert_votes(vote._meta.db_table, zip(posts, (cast for _one, cast in some), strict=True))


def _insert_votes(table: str, voted: Iterator[tuple[Any, list[int]]]) -> None:
    """Insert votes with plain SQL, which is four times as fast as bulk_create."""
    statement = f"INSERT INTO {table} (post_id, comment_id, user_id, vote, at)"
    lines = (
        (post.pk, 0, person, 1 if number < post.up else -1, str(post.created_at)[:19])
        for post, cast in voted
        for number, person in enumerate(cast)
    )
    with connection.cursor() as cursor:
        cursor.executemany(f"{statement} VALUES (%s, %s, %s, %s, %s)", list(lines))


def _made(model: str, **fields: Any) -> Any:
    return apps.get_model("forum", model)(**fields)


if __name__ == "__main__":
    main()
