"""The names of deleted accounts.

A deleted account's row has the name "[deleted-7]", which nobody can choose. Pages and
the API show "[deleted]".
"""

import re

from django.utils.translation import gettext

DELETED = "[deleted]"
"""The name of every deleted account for programs, and on pages in English. In logs and messages, it
also replaces deleted texts."""
PATTERN = re.compile(r"\[deleted-[0-9]+\]")


def name_of_deleted(user_id: int) -> str:
    """Return the name of a deleted account in SQL and Redis."""
    return f"[deleted-{user_id}]"


def is_deleted(name: str) -> bool:
    """Return whether a name is that of a deleted account."""
    return name.startswith("[") and PATTERN.fullmatch(name) is not None


def name_for_programs(name: str) -> str:
    """Return a name as answers of the API have it, in every language."""
    return DELETED if is_deleted(name) else name


def shown_name(name: str) -> str:
    """Return a name as pages show it, in the active language."""
    return gettext("[deleted]") if is_deleted(name) else name
