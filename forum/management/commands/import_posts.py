"""manage.py import_posts: import posts from a CSV file."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from django.core.management.base import CommandError
from django.db import IntegrityError
from tqdm import tqdm

from forum.management.base import StoreCommand
from forum.operations.importing.columns import COLUMNS, GROUPS, NAMES, TEXT
from forum.operations.importing.csv_rows import HACKER_NEWS, NotPosts
from forum.operations.importing.group_choice import count_too_many
from forum.operations.importing.loading import count_capped, load
from forum.operations.importing.plan import MAX_VOTES, Options, Plan, make_plan
from forum.previews.missing import MissingPreviewsSync
from forum.store import outbox
from forum.store.service import get_voting_service
from forum.web.forms.groups import MOST
from voting.errors import StoreUnavailable


class Command(StoreCommand):
    """Import posts with their authors, groups and points from a CSV file."""

    help = (
        f"Import posts from a CSV file with the columns {', '.join(COLUMNS)}. Texts and"
        f" groups are read from a column with a usual name, such as {NAMES[TEXT][0]} or"
        f" {NAMES[GROUPS][0]}. Posts that were imported before are skipped. So if the command is"
        " stopped, run it again to continue."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the arguments: the file and the options."""
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--votes",
            nargs="?",
            type=_whole(1, MAX_VOTES),
            const=MAX_VOTES,
            help="turn points into votes of imported and invented people, which count for karma and"
            f" leaderboards, at most so many for a post ({MAX_VOTES:,}). Without this, each post"
            " starts with its points, and nobody voted for them",
        )
        parser.add_argument(
            "--until-now", action="store_true", help="move all dates so that the newest is now"
        )
        parser.add_argument(
            "--limit", type=_whole(1, 10**9), help="import only so many rows of the file"
        )
        parser.add_argument(
            "--batch", type=_whole(1, 5_000), default=500, help="posts per transaction (500)"
        )
        parser.add_argument(
            "--source",
            type=_source,
            default=HACKER_NEWS,
            help="a short name for the posts' site. The default, hn, is Hacker News: dates are in"
            " New York time, and there are groups for Show HN and Ask HN. With any other name,"
            " dates without a time zone are in UTC",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the file. In a terminal, show a progress bar."""
        get_voting_service().maintenance.generations.current()
        started = monotonic()
        plan = self._plan(options)
        for sentence in plan.sentences:
            self.stdout.write(sentence)
        for problem in plan.problems:
            self.stderr.write(str(problem))
        loaded = self._load(plan)
        seconds = monotonic() - started
        self.stdout.write(
            f"{loaded} loaded, {len(plan.rows) - len(plan.missing)} already there,"
            f" {len(plan.problems)} skipped: {_rate(loaded, seconds)}."
            f"{_capped(plan)}{_too_many_groups(plan)}"
        )
        if plan.problems and not plan.rows:
            raise CommandError(
                f"{options['file']} has no usable row, so nothing was imported. The problems are"
                " listed above, line by line."
            )

    def _plan(self, options: dict[str, Any]) -> Plan:
        file: Path = options["file"]
        names = ("source", "votes", "until_now", "limit", "batch")
        try:
            return make_plan(file, Options(**{name: options[name] for name in names}))
        except NotPosts as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"{file} can't be read: {error.strerror}.") from error

    def _load(self, plan: Plan) -> int:
        loaded = 0
        with tqdm(total=len(plan.missing), unit=" posts", disable=None) as bar:
            try:
                for posts in load(plan):
                    loaded += posts
                    bar.update(posts)
            except (StoreUnavailable, IntegrityError, KeyboardInterrupt) as stop:
                raise CommandError(
                    f"Stopped after at least {loaded} posts{_reason(stop)}. Nothing is lost: run"
                    " the command again to continue."
                ) from stop
            finally:
                if loaded:
                    outbox.write(MissingPreviewsSync())
        return loaded


def _capped(plan: Plan) -> str:
    """Return a sentence with the number of posts whose points differ from the file; "" if none."""
    most = plan.options.votes
    number = 0 if most is None else count_capped(plan.missing, most)
    if not number:
        return ""
    posts = "1 post has" if number == 1 else f"{number:,} posts have"
    return f" {posts} different points than in the file, because of --votes={most}."


def _too_many_groups(plan: Plan) -> str:
    """Return a sentence with the number of posts in only some of their groups; "" if none."""
    number = count_too_many(plan.missing)
    if not number:
        return ""
    posts = "1 post has" if number == 1 else f"{number:,} posts have"
    return f" {posts} more than {MOST} groups in the file and got the first {MOST}."


def _reason(stop: BaseException) -> str:
    if isinstance(stop, IntegrityError):
        return ", because another process wrote the same posts or user names at the same time"
    return f", because Redis is unavailable ({stop})" if isinstance(stop, StoreUnavailable) else ""


def _rate(posts: int, seconds: float) -> str:
    return f"{seconds:.1f} s, {posts / max(seconds, 0.001):,.0f} rows a second"


def _whole(lowest: int, highest: int) -> Callable[[str], int]:
    """Return a parser for whole numbers from `lowest` to `highest`."""

    def read(text: str) -> int:
        if re.fullmatch("[0-9]{1,10}", text) and lowest <= int(text) <= highest:
            return int(text)
        raise ArgumentTypeError(f"give a whole number from {lowest} to {highest}")

    return read


def _source(text: str) -> str:
    if text == "demo":
        raise ArgumentTypeError("give another name: the demo content uses this one")
    if re.fullmatch("[a-z0-9-]{1,12}", text):
        return text
    raise ArgumentTypeError("give 1 to 12 small letters, digits and hyphens")
