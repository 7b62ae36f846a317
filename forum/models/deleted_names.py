"""The names of deleted accounts.

A deleted account's row has the name "[deleted-7]", which nobody can choose. Pages show "[deleted]".
"""

import re

from django.utils.translation import gettext

PATTERN = re.compile(r"\[deleted-[0-9]+\]")


def name_of_deleted(user_id: int) -> str:
    """Return the name of a deleted account in SQL and Redis."""
    return f"[deleted-{user_id}]"


def is_deleted(name: str) -> bool:
    """Return whether a name is that of a deleted account."""
    return name.startswith("[") and PATTERN.fullmatch(name) is not None


def shown_name(name: str) -> str:
    """Return a name as pages show it."""
    return gettext("[deleted]") if is_deleted(name) else name
