"""System checks, which `manage.py check` runs before a reload and after an upgrade."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import checks


def published_passwords(
    *, databases: Sequence[str] | None = None, **_options: Any
) -> list[checks.Error]:
    """Return an error if accounts have passwords that everybody knows.

    Only for `check --database`, because other checks don't need a database.
    """
    sentence = published_passwords_sentence() if databases else ""
    return [checks.Error(sentence, id="forum.E002")] if sentence else []


def proxy(**_options: Any) -> list[checks.CheckMessage]:
    """Return what a public site needs in front of it, for `check --deploy`.

    The site itself can't see whether a proxy waits for slow senders. Without one, 24 of them occupy
    all threads of a site, and nobody else gets an answer.
    """
    sentence = (
        "A public site needs a proxy that receives whole requests before it passes them on, with"
        " the timeouts of deploy/nginx/rostra.conf. Without one, 24 slow senders stop the site,"
        " /healthz included."
    )
    if settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        return [checks.Info(sentence, id="forum.I001")]
    return [checks.Warning(f"TRUSTED_PROXIES=0: {sentence}", id="forum.W001")]


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
