"""The language of a person's email: the one they chose, or else that of their first visit."""

from contextlib import suppress

from django.db import DatabaseError
from django.utils.translation import get_language

from forum.models import User


def choose(user: User, language: str) -> None:
    """Store the language a person chose; "" means that of their next visit. One query."""
    user.language = language
    user.save(update_fields=["language"])


def note_first_visit(user: User) -> None:
    """Store the language of the current page for a person who has none yet. At most one query.

    If SQL can't write now, a later visit stores it.
    """
    language = get_language()
    if not user.language and language:
        user.language = language
        with suppress(DatabaseError):
            User.objects.filter(pk=user.pk, language="").update(language=language)
