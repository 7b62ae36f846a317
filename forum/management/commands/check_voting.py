"""manage.py check_voting: compare Redis with SQL."""

from typing import Any

from django.core.management.base import CommandError

from forum.checking import differences
from forum.management.base import StoreCommand
from forum.models import Post


class Command(StoreCommand):
    """Reports every post whose votes, groups or score differ between Redis and SQL."""

    help = "Compare what Redis holds with SQL; exit with 1 where they differ."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each difference."""
        found = 0
        for sentence in differences():
            found += 1
            self.stdout.write(sentence)
        if found:
            raise CommandError(
                f"{found} differences. `manage.py rebuild_voting` makes Redis what SQL says."
            )
        total = Post.objects.filter(deleted_at=None).count()
        self.stdout.write(self.style.SUCCESS(f"Redis and SQL agree on all {total} posts."))
