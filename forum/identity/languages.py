"""Stores the language for emails to a person: the person's choice, or that of the first visit."""

from contextlib import suppress

from django.db import DatabaseError
from django.utils.translation import get_language

from forum.models import User


def choose(user: User, language: str) -> None:
    """Store the language that a person chose. "" means: use that of the next visit. One query."""
    user.language = language
    user.save(update_fields=["language"])


def note_first_visit(user: User) -> None:
    """Store the language of the current page for a person without a language.

    One query at most. If SQL can't be written now, a later visit stores the language.
    """
    language = get_language()
    if not user.language and language:
        user.language = language
        with suppress(DatabaseError):
            User.objects.filter(pk=user.pk, language="").update(language=language)
