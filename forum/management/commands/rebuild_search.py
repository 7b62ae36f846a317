"""manage.py rebuild_search: recompute the texts in which search looks for words."""

from typing import Any

from django.core.management import CommandError
from django.db import OperationalError
from tqdm import tqdm

from forum.management.base import SiteCommand
from forum.models import Comment, Post
from forum.operations.repair.search_texts import rebuild


class Command(SiteCommand):
    """Compute the search texts of all posts and comments, and fill the search index."""

    help = "Update the search index, after a new version changed how search finds words."

    def handle(self, *args: Any, **options: Any) -> None:
        """Recompute the texts in which search looks for words. Show progress on a terminal."""
        try:
            total = Post.objects.count() + Comment.objects.count()
            with tqdm(total=total, unit="texts", disable=None) as bar:
                changed = rebuild(bar.update)
        except OperationalError as error:
            raise CommandError(f"The SQL database is unavailable: {error}") from error
        self.stdout.write(self.style.SUCCESS(f"Checked {total} texts, changed {changed}."))
