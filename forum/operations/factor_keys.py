"""Keeps the secrets of second factors readable when SECRET_KEY changes or a site moves.

A person whose secret can't be decrypted could not log in. So `migrate`, `up`, `restore` and
`import_export` refuse to go on without the old key, unless they may remove such factors.
"""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence

from allauth.mfa.models import Authenticator
from django.core.management import CommandError
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from forum.actions import factor_removal, security_log
from forum.config import encryption
from forum.models import SecurityEvent

FILE = "factor-keys"
"""The file of a backup that names the keys which the second factors need, one a line."""
TEXTS = ("secret", "seed")
"""The names of encrypted texts in `Authenticator.data`: of an app, and of recovery codes."""
LISTS = ("migrated_codes",)
"""The names of lists of encrypted texts in `Authenticator.data`."""


def add_option(parser: ArgumentParser) -> None:
    """Add the option that removes factors which can't be read."""
    parser.add_argument(
        "--turn-off-factors",
        action="store_true",
        help="remove apps and recovery codes whose SECRET_KEY is lost, and email their users",
    )


def needed() -> list[str]:
    """Return the ids of the keys that the second factors of this site need."""
    ids = {
        encryption.key_id(secret)
        for factor in _factors()
        for text in _texts(factor)
        if text.startswith(encryption.BEGIN)
        for secret in encryption.secrets()
        if encryption.is_readable(text, [secret])
    }
    return sorted(ids)


def require(ids: Iterable[str], secrets: Sequence[str]) -> None:
    """Raise CommandError unless `secrets` have all keys with these ids."""
    if set(ids) - {encryption.key_id(secret) for secret in secrets}:
        raise CommandError(
            _(
                "Nothing was changed, because two-factor authentication was encrypted with another"
                " SECRET_KEY, and its users could not log in. Add that key to"
                " SECRET_KEY_FALLBACKS. If it is lost, use --turn-off-factors."
            )
        )


@transaction.atomic
def renew() -> None:
    """Encrypt all factors with the current SECRET_KEY: plain ones, and those with older keys.

    Raises CommandError if a factor's key is unknown.
    """
    for factor in _factors().select_for_update():
        try:
            data = _renewed(factor)
        except encryption.Unreadable as error:
            raise CommandError(
                _(
                    "The two-factor authentication of %(name)s was encrypted with another"
                    " SECRET_KEY. Add that key to SECRET_KEY_FALLBACKS. If it is lost, run"
                    " `manage.py migrate --turn-off-factors`."
                )
                % {"name": factor.user}
            ) from error
        if data != factor.data:
            factor.data = data
            factor.save(update_fields=["data"])


def remove_unreadable(secrets: Sequence[str]) -> list[str]:
    """Remove second factors that none of the secrets can decrypt, but no passkeys.

    Emails the people who used them, and returns their names.
    """
    unreadable = [
        factor.pk
        for factor in _factors()
        if not all(encryption.is_readable(text, secrets) for text in _texts(factor))
    ]
    people = factor_removal.remove(Authenticator.objects.filter(pk__in=unreadable))
    for person in people:
        security_log.record(SecurityEvent.Kind.FACTOR_REMOVED, person_id=person.pk)
    return [person.username for person in people]


def _factors() -> "QuerySet[Authenticator]":
    """Return the factors with secrets; none before their table exists."""
    factors: QuerySet[Authenticator] = Authenticator.objects.all()
    if Authenticator._meta.db_table not in connection.introspection.table_names():
        return factors.none()
    types = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)
    return factors.filter(type__in=types)


def _texts(factor: Authenticator) -> Iterator[str]:
    yield from (factor.data[name] for name in TEXTS if name in factor.data)
    for name in LISTS:
        yield from factor.data.get(name, ())


def _renewed(factor: Authenticator) -> dict[str, object]:
    data = dict(factor.data)
    for name in data.keys() & TEXTS:
        data[name] = encryption.renewed(data[name])
    for name in data.keys() & LISTS:
        data[name] = [encryption.renewed(text) for text in data[name]]
    return data
