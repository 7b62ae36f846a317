"""manage.py rebuild_voting: load all data, or one post or comment, from SQL into Redis."""

from argparse import ArgumentParser
from contextlib import suppress
from typing import Any

from django.core.management.base import CommandError
from tqdm import tqdm

from forum.ledger import vote_value
from forum.management.base import StoreCommand
from forum.models import Post
from forum.operations.repair.rebuild import rebuild
from forum.operations.repair.repair_posts import reload
from forum.operations.repair.scope import parse
from forum.store.service import get_voting_service
from voting.errors import StoreEmpty

OTHER_RULES = (
    "The scores in Redis were made with other values of VOTES_PER_DAY, VOTING_WINDOW or "
    "VOTING_FORMULA than this command uses. Run this command with the site's settings. If those "
    "settings are new, start the site first: it scores all posts again."
)


class Command(StoreCommand):
    """Rebuild posts, rankings, groups, vote counts and voter sets while people vote."""

    help = "Rebuild Redis from SQL while the site runs; fill it if it is empty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define the option for the post or comment to rebuild."""
        parser.add_argument(
            "--only",
            metavar="post:42",
            help="only this post with its comments, or comment:7",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Fill Redis from SQL, and show a progress bar on a terminal."""
        _refuse_other_rules()
        if options["only"] is not None:
            self._rebuild_only(options["only"])
            return
        total = Post.objects.visible().count()
        with tqdm(total=total, unit="posts", disable=None) as bar:
            loaded = rebuild(bar.update)
        self.stdout.write(self.style.SUCCESS(f"Filled Redis with {loaded} posts."))

    def _rebuild_only(self, target: str) -> None:
        reloaded, skipped = reload(parse(target))
        if skipped:
            raise CommandError(
                f"{skipped} of {reloaded + skipped} were skipped, since people are voting on them."
            )
        self.stdout.write(self.style.SUCCESS(f"Loaded {target} from SQL: {reloaded} in all."))


def _refuse_other_rules() -> None:
    """Raise CommandError if this command's voting settings differ from the running site's.

    With different settings, scores of reloaded posts would not be comparable with the scores of
    other posts.
    """
    with suppress(StoreEmpty):
        get_voting_service().maintenance.generations.current()
        if not get_voting_service().maintenance.generations.has_current_rules(vote_value.weight()):
            raise CommandError(OTHER_RULES)
