"""Encrypts secrets that the database stores, such as those of authenticator apps.

The keys are derived from SECRET_KEY, which encrypts, and from SECRET_KEY_FALLBACKS, which only
decrypt. A key's id says which secret is needed, without revealing it.
"""

from base64 import urlsafe_b64encode
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

SALT = "forum.config.encryption"
BEGIN = "gAAAAA"
"""How every encrypted text begins. Secrets of earlier versions are plain and begin otherwise."""


class Unreadable(Exception):
    """A text was encrypted with a SECRET_KEY that this site doesn't have."""


def secrets() -> list[str]:
    """Return the secrets of this process: SECRET_KEY first."""
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def encrypt(text: str) -> str:
    """Encrypt a text with SECRET_KEY."""
    return _fernet(settings.SECRET_KEY).encrypt(text.encode()).decode()


def decrypt(text: str, known: Sequence[str] | None = None) -> str:
    """Decrypt a text with one of the secrets `known`, by default those of this process.

    Returns a plain text as it is. Raises Unreadable if none of the secrets encrypted it.
    """
    if not text.startswith(BEGIN):
        return text
    keys = MultiFernet([_fernet(secret) for secret in known or secrets()])
    try:
        return keys.decrypt(text.encode()).decode()
    except InvalidToken as error:
        raise Unreadable from error


def is_readable(text: str, known: Sequence[str]) -> bool:
    """Return whether one of the secrets decrypts a text, or the text is plain."""
    try:
        decrypt(text, known)
    except Unreadable:
        return False
    return True


def renewed(text: str) -> str:
    """Return a text encrypted with SECRET_KEY; the same text if it already is.

    Raises Unreadable if no secret of this process encrypted it.
    """
    if text.startswith(BEGIN) and is_readable(text, [settings.SECRET_KEY]):
        return text
    return encrypt(decrypt(text))


def key_id(secret: str) -> str:
    """Return a name for the key that is derived from a secret."""
    return salted_hmac(f"{SALT}:id", "", secret=secret, algorithm="sha256").hexdigest()[:16]


def _fernet(secret: str) -> Fernet:
    digest = salted_hmac(SALT, "", secret=secret, algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(digest))
