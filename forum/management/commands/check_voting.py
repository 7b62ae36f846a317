"""manage.py check_voting: compare Redis with SQL, and repair Redis if asked."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError

from forum.ledger import vote_value
from forum.management.base import StoreCommand
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.repair_posts import repair
from forum.operations.repair.scope import WHOLE, Scope, parse
from forum.store.service import get_voting_service

OTHER_RULES = (
    "The scores in Redis were made with other values of VOTES_PER_DAY, VOTING_WINDOW or "
    "VOTING_FORMULA than this command uses, so they differ. A worker that starts with these "
    "settings scores all posts again."
)


class Command(StoreCommand):
    """Report each post and comment that differs between Redis and SQL."""

    help = "Compare Redis with SQL; exit with 1 if they differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the arguments: the post or comment to check, and the options."""
        parser.add_argument(
            "target", nargs="?", help="post:42 (with its comments) or comment:7; else all"
        )
        parser.add_argument(
            "--deep", action="store_true", help="also replay the ledger and compare it with SQL"
        )
        parser.add_argument(
            "--repair",
            action="store_true",
            help="recount the votes on posts and comments that differ, and reload these into Redis",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Repair differences if asked, then print one line for each difference."""
        scope = WHOLE if options["target"] is None else parse(options["target"])
        get_voting_service().maintenance.generations.current()
        self.stdout.write(
            "Votes that weren't archived in SQL yet: "
            f"{get_voting_service().maintenance.ledger.lag()}."
        )
        if not get_voting_service().maintenance.generations.has_current_rules(vote_value.weight()):
            self.stdout.write(OTHER_RULES)
        if options["repair"]:
            reloaded, skipped = repair(scope, deep=options["deep"])
            self.stdout.write(
                f"Reloaded {reloaded} posts and comments; {skipped} were skipped, since people are"
                " voting on them."
            )
        found = 0
        for sentence in self._found(scope, deep=options["deep"]):
            found += 1
            self.stdout.write(sentence)
        if found:
            raise CommandError(f"{found} differences. {_advice(options)}")
        total = scope.posts().visible().count() if scope.whole else 0
        self.stdout.write(self.style.SUCCESS(_agreement(options["target"], total)))

    def _found(self, scope: Scope, *, deep: bool) -> Iterator[str]:
        yield from differences(scope)
        if deep:
            yield from replay.differences(scope)


def _advice(options: dict[str, Any]) -> str:
    if options["repair"]:
        return (
            "Reloading from SQL didn't repair them. If people are voting on them now, try again"
            " later."
        )
    deep = " --deep" if options["deep"] else ""
    return (
        f"`manage.py check_voting{deep} --repair` reloads these posts and comments from SQL."
        " `manage.py rebuild_voting` reloads everything."
    )


def _agreement(target: str | None, total: int) -> str:
    if target:
        return f"Redis and SQL agree on {target}."
    return f"Redis and SQL agree on all {total} posts."
