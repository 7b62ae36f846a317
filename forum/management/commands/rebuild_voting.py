"""manage.py rebuild_voting: fill Redis anew from SQL, all of it or one post."""

from argparse import ArgumentParser
from contextlib import suppress
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from forum.gateway.service import get_voting_service
from forum.ledger import vote_value
from forum.management.base import StoreCommand
from forum.models import Post
from forum.operations.repair.rebuild import rebuild
from forum.operations.repair.repair_posts import reload
from forum.operations.repair.scope import parse
from voting.errors import StoreEmpty

OTHER_RULES = (
    "Redis has scores of other VOTES_PER_DAY, VOTING_WINDOW or VOTING_FORMULA than this command. "
    "Run it with the settings of the site; where those are new, start the site: it scores all anew."
)


class Command(StoreCommand):
    """Rebuilds posts, rankings, groups, tallies and voter sets, while people vote."""

    help = "Make Redis again what SQL says, while the site is used; fill it where it is empty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the one post or comment that is to be rebuilt."""
        parser.add_argument(
            "--only",
            metavar="post:42",
            help="only this post with its comments, or comment:7",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild, with a progress bar on a terminal."""
        _refuse_other_rules()
        if options["only"] is not None:
            self._rebuild_only(options["only"])
            return
        total = Post.objects.visible().count()
        with tqdm(total=total, unit="posts", disable=None) as bar:
            loaded = rebuild(bar.update)
        self.stdout.write(self.style.SUCCESS(f"Filled Redis with {loaded} posts."))

    def _rebuild_only(self, spelled: str) -> None:
        done, stayed = reload(parse(spelled))
        if stayed:
            raise CommandError(
                f"{stayed} of {done + stayed} were voted on all the while and stay as they were."
            )
        self.stdout.write(self.style.SUCCESS(f"Loaded {spelled} from SQL: {done} in all."))


def _refuse_other_rules() -> None:
    """Raise CommandError where the site's own settings are not ours: posts loaded by ours would be
    closed or open, and stand in its lists, otherwise than the others. Two round trips.
    """
    with suppress(StoreEmpty):
        get_voting_service().maintenance.generations.current()
        if not get_voting_service().maintenance.generations.has_current_rules(vote_value.weight()):
            raise CommandError(OTHER_RULES)
