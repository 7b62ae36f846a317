"""Writes scores into the addresses of next pages, which start after the last score of a page.

If the site hides scores, nobody can read them in addresses either: they are encrypted with a key
that only this site knows.
"""

import re
from math import isfinite
from struct import pack, unpack

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.utils.crypto import salted_hmac

from forum.config.hidden_scores import are_on

NUMBER = re.compile(r"-?[0-9]{1,17}(\.[0-9]{1,17})?", re.ASCII)


def write(score: float, post_id: int, comment_id: int = 0) -> str:
    """Return the score of a post or comment as a part of an address."""
    if not are_on():
        return repr(score).removesuffix(".0")
    return _cipher().encrypt(pack(">d", score), [_about(post_id, comment_id)]).hex()


def read(text: str, post_id: int, comment_id: int = 0) -> float | None:
    """Return the score of a post or comment in an address; None if the text isn't a score."""
    if not are_on() or NUMBER.fullmatch(text):
        return float(text) if NUMBER.fullmatch(text) else None
    try:
        packed = _cipher().decrypt(bytes.fromhex(text), [_about(post_id, comment_id)])
    except (InvalidTag, ValueError):
        return None
    (score,) = unpack(">d", packed)
    return float(score) if isfinite(score) else None


def _cipher() -> AESSIV:
    """Return a cipher that always encrypts a score in the same way, so that pages can be cached."""
    return AESSIV(salted_hmac("score in an address", "", algorithm="sha256").digest())


def _about(post_id: int, comment_id: int) -> bytes:
    return f"{post_id}-{comment_id}".encode()
