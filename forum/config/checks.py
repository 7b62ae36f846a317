"""System checks, which `manage.py check` runs before a reload and after an upgrade."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.core.checks import Error


def published_passwords(*, databases: Sequence[str] | None = None, **_options: Any) -> list[Error]:
    """Return an error if accounts have passwords that everybody knows.

    Only for `check --database`, because other checks don't need a database.
    """
    sentence = published_passwords_sentence() if databases else ""
    return [Error(sentence, id="forum.E002")] if sentence else []


def published_passwords_sentence() -> str:
    """Return which accounts have passwords that everybody knows; "" if there are none.

    Runs Argon2 only for hashes that this process hasn't checked before.
    """
    names = [account.username for account in get_user_model().with_published_passwords()]
    if not names:
        return ""
    return (
        f"Everybody knows the passwords of {', '.join(names)}: they are published with the demo"
        " content. Change each with `manage.py changepassword NAME`, or reset it by email."
    )
