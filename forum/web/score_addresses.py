"""Writes scores into the addresses of next pages, which start after the last score of a page.

If the site hides scores, nobody can read them in addresses either: they are encrypted with a key
that only this site knows.
"""

import re
from math import isfinite
from struct import pack, unpack

from django.utils.crypto import salted_hmac

from forum.config.hidden_scores import are_on

NUMBER = re.compile(r"-?[0-9]{1,17}(\.[0-9]{1,17})?", re.ASCII)
ENCRYPTED = re.compile(r"[0-9a-f]{16}", re.ASCII)
ROUNDS = range(4)


def write(score: float, post_id: int, comment_id: int = 0) -> str:
    """Return the score of a post or comment as a part of an address."""
    if not are_on():
        return repr(score).removesuffix(".0")
    return _encrypted(pack(">d", score), post_id, comment_id).hex()


def read(text: str, post_id: int, comment_id: int = 0) -> float | None:
    """Return the score of a post or comment in an address; None if the text isn't a score."""
    if are_on() and ENCRYPTED.fullmatch(text):
        (score,) = unpack(">d", _decrypted(bytes.fromhex(text), post_id, comment_id))
        return float(score) if isfinite(score) else None
    return float(text) if NUMBER.fullmatch(text) else None


def _encrypted(packed: bytes, post_id: int, comment_id: int) -> bytes:
    """Encrypt 8 bytes: a Feistel cipher, so that a known score doesn't give later ones away."""
    left, right = packed[:4], packed[4:]
    for number in ROUNDS:
        left, right = right, _mixed(left, right, number, post_id, comment_id)
    return left + right


def _decrypted(packed: bytes, post_id: int, comment_id: int) -> bytes:
    left, right = packed[:4], packed[4:]
    for number in reversed(ROUNDS):
        left, right = _mixed(right, left, number, post_id, comment_id), left
    return left + right


def _mixed(half: bytes, other: bytes, number: int, post_id: int, comment_id: int) -> bytes:
    """Mask a half of the bytes with a hash of the other half. The same call unmasks it."""
    text = f"{post_id}-{comment_id}-{number}-{other.hex()}"
    secret = salted_hmac("score in an address", text).digest()
    return bytes(one ^ mask for one, mask in zip(half, secret, strict=False))
