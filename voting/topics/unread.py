"""Reads a person's unread counts, on the way of whatever else a page asks."""

from collections.abc import Sequence
from types import MappingProxyType

from voting.keys import people
from voting.redis import scripts
from voting.redis.readings import Reading
from voting.redis.scripts import Call
from voting.types.inbox import Unread

READ = scripts.load("unread")
COUNTED_AT = "@"
"""The field that remembers when the counts were made; no type is called that."""


def unread_call(user_id: int) -> Call:
    """Return the call that reads a person's counts, to go along with a page's others."""
    return READ((people.unread(user_id),))


def reading(user_id: int) -> Reading[Unread]:
    """Return what reads a person's counts."""
    return Reading((unread_call(user_id),), lambda replies: decode_unread(user_id, replies[0]))


def decode_unread(user_id: int, reply: Sequence[str]) -> Unread:
    """Return what the reply to `unread_call` says."""
    fields = dict(zip(reply[::2], map(int, reply[1::2]), strict=True))
    counted_at = fields.pop(COUNTED_AT, 0)
    return Unread(user_id, MappingProxyType(fields), counted_at)
