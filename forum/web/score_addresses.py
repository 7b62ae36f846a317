"""Writes scores into the addresses of next pages, which start after the last score of a page.

If the site hides scores, nobody can read them in addresses either: they are combined with a number
that only this site knows.
"""

import re
from math import isfinite
from struct import pack, unpack

from django.utils.crypto import salted_hmac

from forum.config.hidden_scores import are_on

NUMBER = re.compile(r"-?[0-9]{1,17}(\.[0-9]{1,17})?", re.ASCII)
MASKED = re.compile(r"[0-9a-f]{16}", re.ASCII)


def write(score: float, post_id: int, comment_id: int = 0) -> str:
    """Return the score of a post or comment as a part of an address."""
    if not are_on():
        return repr(score).removesuffix(".0")
    return _combined(pack(">d", score), post_id, comment_id).hex()


def read(text: str, post_id: int, comment_id: int = 0) -> float | None:
    """Return the score of a post or comment in an address; None if the text isn't a score."""
    if are_on() and MASKED.fullmatch(text):
        (score,) = unpack(">d", _combined(bytes.fromhex(text), post_id, comment_id))
        return float(score) if isfinite(score) else None
    return float(text) if NUMBER.fullmatch(text) else None


def _combined(packed: bytes, post_id: int, comment_id: int) -> bytes:
    """Mask 8 bytes, or unmask masked bytes."""
    secret = salted_hmac("score in an address", f"{post_id}-{comment_id}").digest()
    return bytes(one ^ other for one, other in zip(packed, secret, strict=False))
