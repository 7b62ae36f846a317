"""The Redis server itself: its settings and its snapshots."""

from time import monotonic, sleep

from redis.exceptions import ResponseError

from voting.errors import StoreForbidden, StoreUnavailable
from voting.redis.connection import Store

PAUSE = 0.1
BUSY = ("child process", "already in progress")
"""Parts of Redis's error replies while another background save is running."""
INTSET_ENTRIES = 65_536
LISTPACK_VALUE = 1_024
SETTINGS = ("set-max-intset-entries", "hash-max-listpack-value", "maxmemory*", "appendonly")
SUITABLE = {
    "set-max-intset-entries": str(INTSET_ENTRIES),
    "hash-max-listpack-value": str(LISTPACK_VALUE),
    "maxmemory": "0",
    "maxmemory-policy": "noeviction",
    "appendonly": "yes",
}
"""Settings that suit voting. A setting that a server doesn't report is assumed to be as here."""


class Server:
    """The Redis server or cluster of one site. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def ping(self) -> None:
        """Raise StoreUnavailable unless Redis answers. One round trip."""
        self._store.command("PING")

    def advice(self) -> list[str]:
        """Return advice on each server setting that doesn't suit voting. One round trip.

        Some hosted servers don't report all settings. There is no advice on unreported settings.
        """
        try:
            words = self._store.command("CONFIG", "GET", *SETTINGS)
        except (ResponseError, StoreForbidden):
            return []
        reported = (
            words if isinstance(words, dict) else dict(zip(words[::2], words[1::2], strict=True))
        )
        return _advice(SUITABLE | reported)

    def snapshot(self, seconds: float) -> None:
        """Make the server write a snapshot file, and wait until the file is complete.

        Raises StoreUnavailable if writing fails or takes longer than `seconds`. One or two round
        trips every tenth of a second.
        """
        deadline = monotonic() + seconds
        while True:
            self._wait_for_snapshot(deadline)
            if self._start_snapshot():
                break
            _pause(deadline)
        if self._wait_for_snapshot(deadline) != "ok":
            raise StoreUnavailable("the server could not write its snapshot; is the disk full?")

    def _start_snapshot(self) -> bool:
        try:
            self._store.command("BGSAVE")
        except ResponseError as error:
            if not any(words in str(error) for words in BUSY):
                raise
            return False
        return True

    def _wait_for_snapshot(self, deadline: float) -> str:
        """Wait until no snapshot is being written; return the status of the last snapshot."""
        while True:
            info = self._store.command("INFO", "persistence")
            if not int(info["rdb_bgsave_in_progress"]):
                return str(info["rdb_last_bgsave_status"])
            _pause(deadline)


def _advice(settings: dict[str, str]) -> list[str]:
    sentences = []
    if int(settings["set-max-intset-entries"]) < INTSET_ENTRIES:
        sentences.append(
            f"set-max-intset-entries is {settings['set-max-intset-entries']}: with {INTSET_ENTRIES}"
            " a vote takes 4 bytes instead of about 40."
        )
    if int(settings["hash-max-listpack-value"]) < LISTPACK_VALUE:
        sentences.append(
            f"hash-max-listpack-value is {settings['hash-max-listpack-value']}:"
            f" with {LISTPACK_VALUE} a post takes about 200 bytes less."
        )
    if settings["maxmemory"] != "0" and settings["maxmemory-policy"] != "noeviction":
        sentences.append(
            f"maxmemory-policy is {settings['maxmemory-policy']}: a full server would drop votes;"
            " use noeviction."
        )
    if settings["appendonly"] != "yes":
        sentences.append("appendonly is off: a crash loses the votes since the last snapshot.")
    return sentences


def _pause(deadline: float) -> None:
    if monotonic() > deadline:
        raise StoreUnavailable("the server did not finish its snapshot in time")
    sleep(PAUSE)
