"""What commands that need Redis have in common."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from voting.errors import StoreEmpty, StoreUnavailable


class StoreCommand(BaseCommand):
    """A command that ends with a sentence where Redis is not there."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command."""
        try:
            return super().execute(*args, **options)
        except StoreEmpty as error:
            raise CommandError(
                "Redis holds nothing yet: run `python3 manage.py up`, or `rebuild_voting`."
            ) from error
        except StoreUnavailable as error:
            raise CommandError(
                f"Redis is not there ({error}). Start `python3 manage.py up`, or"
                " `python3 manage.py services` for the embedded server alone."
            ) from error
