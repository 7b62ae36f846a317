"""Brings what the embedded server has written to disk once a second, in the server's stead, and
closes voting before the disk is full.

Told `appendfsync everysec`, the server holds writes back for up to two seconds while a sync runs
in the background, and acknowledges them all the same: a kill -9 then loses acknowledged votes (77
of 370 with a disk made slow). Told `no`, it writes before it acknowledges, so that a kill loses
nothing, and this thread syncs, so that a power cut loses a second at most. What was synced it seals
(`voting.embedded.sealing`), whoever syncs.
"""

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from redis.exceptions import RedisError

from voting.embedded import room
from voting.embedded.appendonly import FOLDER, JOURNALS
from voting.embedded.sealing import Sealer

log = logging.getLogger(__name__)

SECONDS = 1.0
LOOKS = 5
"""Looks at the room on disk for each sync."""


class Flusher(Thread):
    """Looks after the append-only file in a directory until it is stopped."""

    def __init__(self, directory: Path, close: Callable[[bool], None], *, syncing: bool) -> None:
        """Take `close`, which has the server refuse writes, or take them again."""
        super().__init__(daemon=True, name="flusher")
        self._directory = directory
        self._close = close
        self._closed: bool | None = None
        self._syncing = syncing
        self._sealer = Sealer(directory)
        self._stopping = Event()

    def run(self) -> None:
        """Sync and seal every second, and look at the room more often."""
        looks = 0
        while not self._stopping.wait(SECONDS / LOOKS):
            looks += 1
            try:
                self.look()
                if looks % LOOKS == 0:
                    self._keep()
            except OSError:
                log.exception("the append-only file does not reach the disk")

    def _keep(self) -> None:
        """Sync, then seal what was synced before; while nothing is written, there is nothing to."""
        if self._syncing:
            sync(self._directory)
        if not self._closed:
            self._sealer.seal()

    def look(self) -> None:
        """Close voting where the disk has little room, and open it again where it has.

        Where there is no server any more, or no directory, nothing is done.
        """
        with suppress(FileNotFoundError, RedisError):
            closed = not room.keep(self._directory)
            if closed != self._closed:
                self._close(closed)
                self._tell(closed)
                self._closed = closed

    def _tell(self, closed: bool) -> None:
        if closed:
            log.error("the disk of %s is nearly full: voting is closed", self._directory)
        elif self._closed is not None:
            log.warning("the disk of %s has room again: voting is open", self._directory)

    def stop(self) -> None:
        """End, and wait for what it is about."""
        self._stopping.set()
        self.join()

    def finish(self) -> None:
        """End and seal all there is. Only where the server has ended."""
        self.stop()
        with suppress(OSError):
            self._sealer.seal(ended=True)


def sync(directory: Path) -> None:
    """Bring the append-only file to disk. A file that a rewrite has just replaced is left out."""
    for file in (directory / FOLDER).glob(JOURNALS):
        with suppress(FileNotFoundError):
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
