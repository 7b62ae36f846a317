"""manage.py load_demo: load demo content into a new site."""

from typing import Any

from django.core.management.base import CommandError

from forum.management.base import StoreCommand
from forum.models.published_passwords import DEMO_LOGINS
from forum.operations.demo.loading import is_unused, load_demo, refusal
from forum.store.service import get_voting_service


class Command(StoreCommand):
    """Load people, groups and posts of the demo content, unless the site is in use."""

    help = "Load demo content into an empty site. Refused with PRODUCTION=1."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the demo content, and print its user names and passwords."""
        if reason := refusal():
            raise CommandError(reason)
        if not is_unused():
            self.stdout.write("The site is already in use, so no demo content was loaded.")
            return
        get_voting_service().maintenance.generations.current()
        self.stdout.write(f"Loaded {load_demo()} posts. Log in as:")
        for login in DEMO_LOGINS:
            note = f", {login.role}" if login.role else ""
            self.stdout.write(f"  {login.username} with {login.password}{note}")
