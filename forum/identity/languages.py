"""Stores the language of a person's emails: the chosen language, or that of the first visit."""

from contextlib import suppress

from django.db import DatabaseError
from django.utils.translation import get_language

from forum.models import User


def choose(user: User, language: str) -> None:
    """Store the language that a person chose.

    If `language` is "", the person's next visit stores the language of the page.
    """
    user.language = language
    user.save(update_fields=["language"])


def note_first_visit(user: User) -> None:
    """Store the current page's language for a person without a language."""
    language = get_language()
    if not user.language and language:
        user.language = language
        with suppress(DatabaseError):
            User.objects.filter(pk=user.pk, language="").update(language=language)
