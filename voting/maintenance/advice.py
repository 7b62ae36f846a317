"""What the person who runs a server of their own should know about its settings."""

from redis.exceptions import ResponseError

from voting.errors import Forbidden
from voting.redis.connection import Store

INTSET_ENTRIES = 65_536
LISTPACK_VALUE = 1_024
ASKED = ("set-max-intset-entries", "hash-max-listpack-value", "maxmemory*", "appendonly")
SUITING = {
    "set-max-intset-entries": str(INTSET_ENTRIES),
    "hash-max-listpack-value": str(LISTPACK_VALUE),
    "maxmemory": "0",
    "maxmemory-policy": "noeviction",
    "appendonly": "yes",
}
"""What needs no advice; nor does a setting that the server does not tell."""


def advice(store: Store) -> list[str]:
    """Return a sentence for each setting of the server that does not suit voting.

    Servers that do not let us look get none, and those that tell only of some settings (hosted ones
    do either) none about the others. One round trip.
    """
    try:
        words = store.command("CONFIG", "GET", *ASKED)
    except (ResponseError, Forbidden):
        return []
    told = words if isinstance(words, dict) else dict(zip(words[::2], words[1::2], strict=True))
    found = SUITING | told
    sentences = []
    if int(found["set-max-intset-entries"]) < INTSET_ENTRIES:
        sentences.append(
            f"set-max-intset-entries is {found['set-max-intset-entries']}: with {INTSET_ENTRIES}"
            " a vote takes 4 bytes instead of about 40."
        )
    if int(found["hash-max-listpack-value"]) < LISTPACK_VALUE:
        sentences.append(
            f"hash-max-listpack-value is {found['hash-max-listpack-value']}: with {LISTPACK_VALUE}"
            " a post takes about 200 bytes less."
        )
    if found["maxmemory"] != "0" and found["maxmemory-policy"] != "noeviction":
        sentences.append(
            f"maxmemory-policy is {found['maxmemory-policy']}: a full server would drop votes;"
            " use noeviction."
        )
    if found["appendonly"] != "yes":
        sentences.append("appendonly is off: a crash loses the votes since the last snapshot.")
    return sentences
