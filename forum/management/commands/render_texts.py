"""manage.py render_texts: render the HTML of all posts and comments again."""

from typing import Any

from tqdm import tqdm

from forum.management.base import StoreCommand
from forum.models import Comment, Post
from forum.operations.repair.derived_fields import render_texts


class Command(StoreCommand):
    """Apply the current markup rules to stored posts and comments."""

    help = "Update the stored HTML of all texts, after a new version changed the markup."

    def handle(self, *args: Any, **options: Any) -> None:
        """Render the posts and comments, with a progress bar on a terminal."""
        posts, comments = (model.objects.exclude(body="").count() for model in (Post, Comment))
        with tqdm(total=posts + comments, unit="texts", disable=None) as bar:
            changed = render_texts(bar.update)
        self.stdout.write(
            self.style.SUCCESS(f"Checked {posts + comments} texts, changed {changed}.")
        )
