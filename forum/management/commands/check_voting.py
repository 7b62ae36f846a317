"""manage.py check_voting: compare Redis with SQL, and SQL with its ledger; repair what differs."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError

from forum.gateway.service import get_voting_service
from forum.ledger import vote_value
from forum.management.base import StoreCommand
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.repair_posts import repair
from forum.operations.repair.scope import WHOLE, Scope, parse

OTHER_RULES = (
    "Redis has scores of other VOTES_PER_DAY, VOTING_WINDOW or VOTING_FORMULA than this command: "
    "they differ until a worker that starts with these has scored all posts anew."
)


class Command(StoreCommand):
    """Reports every post and comment whose votes, groups or score differ."""

    help = "Compare what Redis holds with SQL; exit with 1 where they differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to look at, and how."""
        parser.add_argument(
            "target", nargs="?", help="post:42 (with its comments) or comment:7; or all"
        )
        parser.add_argument(
            "--deep", action="store_true", help="replay the ledger too: it must lead to the votes"
        )
        parser.add_argument(
            "--repair",
            action="store_true",
            help="count votes on what differs anew from the archive, and load it into Redis",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Repair if asked to, then print a line for each difference."""
        scope = WHOLE if options["target"] is None else parse(options["target"])
        get_voting_service().maintenance.generations.current()
        self.stdout.write(
            f"Votes that waited for the archive: {get_voting_service().maintenance.ledger.lag()}."
        )
        if not get_voting_service().maintenance.generations.has_current_rules(vote_value.weight()):
            self.stdout.write(OTHER_RULES)
        if options["repair"]:
            done, stayed = repair(scope, deep=options["deep"])
            self.stdout.write(f"Loaded {done} posts and comments anew; {stayed} did not rest.")
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
        return "They are what loading anew from SQL does not mend, or people vote there just now."
    deep = " --deep" if options["deep"] else ""
    return (
        f"`manage.py check_voting{deep} --repair` loads those posts and comments anew from SQL,"
        " `manage.py rebuild_voting` all."
    )


def _agreement(target: str | None, total: int) -> str:
    if target:
        return f"Redis and SQL agree on {target}."
    return f"Redis and SQL agree on all {total} posts."
