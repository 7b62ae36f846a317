"""manage.py recompute_addresses: recompute the keys by which the site finds equal URLs.

All URLs that lead to the same page have the same key.
"""

from typing import Any

from tqdm import tqdm

from forum.management.base import StoreCommand
from forum.models import Post
from forum.operations.repair.derived_fields import recompute_addresses


class Command(StoreCommand):
    """Apply the rules of `forum/text/same_page.toml` to stored posts."""

    help = "Update which URLs count as the same page, after a change of the rules."

    def handle(self, *args: Any, **options: Any) -> None:
        """Compute again which URLs of posts count as the same page, and show a progress bar."""
        total = Post.objects.exclude(url="").count()
        with tqdm(total=total, unit="posts", disable=None) as bar:
            changed = recompute_addresses(bar.update)
        self.stdout.write(self.style.SUCCESS(f"Checked {total} URLs, changed {changed}."))
