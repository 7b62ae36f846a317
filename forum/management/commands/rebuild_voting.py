"""manage.py rebuild_voting: fill Redis anew from SQL."""

from typing import Any

from tqdm import tqdm

from forum.management.base import StoreCommand
from forum.models import Post
from forum.rebuilding import rebuild


class Command(StoreCommand):
    """Rebuilds posts, rankings, groups, tallies and voter sets; votes wait meanwhile."""

    help = "Fill Redis anew from SQL. Votes get a 'try again' for as long as it takes."

    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild, with a progress bar on a terminal."""
        total = Post.objects.filter(deleted_at=None).count()
        with tqdm(total=total, unit="posts", disable=None) as bar:
            loaded = rebuild(lambda: bar.update() and None)
        self.stdout.write(self.style.SUCCESS(f"Filled Redis with {loaded} posts."))
