"""manage.py check: Django's command, which also checks the servers and the environment."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.core.management.base import CommandError
from django.core.management.commands.check import Command as Base
from django.db import DatabaseError, connections

from forum.config.environment import ignored_settings
from forum.store.service import get_voting_service
from voting.errors import StoreEmpty, StoreUnavailable


class Command(Base):
    """Check settings and code, and with `--database default` also that the servers respond.

    Warns about environment variables that have no effect, such as those with a typo.
    """

    def handle(self, *args: Any, **options: Any) -> None:
        for sentence in ignored_settings():
            self.stderr.write(self.style.WARNING(sentence))
        if databases := options["databases"]:
            problems = [*_sql(databases), *([] if settings.EMBEDDED else _redis())]
            if problems:
                raise CommandError("\n".join(problems))
        super().handle(*args, **options)


def _sql(databases: list[str]) -> Iterator[str]:
    for alias in databases:
        try:
            connections[alias].ensure_connection()
        except DatabaseError as error:
            reason = " ".join(str(error).split())
            yield f"DATABASE_URL: the SQL database isn't responding ({reason})."


def _redis() -> Iterator[str]:
    """Yield a sentence for each Redis that doesn't respond. An empty one is fine."""
    try:
        get_voting_service().maintenance.generations.current()
    except StoreEmpty:
        pass
    except StoreUnavailable as error:
        yield f"REDIS_URL: Redis isn't responding ({error})."
    if not cache.add(f"check:{uuid4()}", 1, timeout=1):
        yield "CACHE_URL: Redis, which has the sessions and the cache, isn't responding."
