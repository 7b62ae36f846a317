"""Brings what the embedded server has written to disk once a second, in the server's stead.

Told `appendfsync everysec`, the server holds writes back for up to two seconds while a sync runs
in the background, and acknowledges them all the same: a kill -9 then loses acknowledged votes (77
of 370 with a disk made slow). Told `no`, it writes before it acknowledges, so that a kill loses
nothing, and this thread syncs, so that a power cut loses a second at most. What was synced it seals
(`voting.sealing`), whoever syncs.
"""

import logging
import os
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from voting.sealing import Sealer

log = logging.getLogger(__name__)

SECONDS = 1.0
FOLDER, FILES = "appendonlydir", "*.incr.aof"


class Flusher(Thread):
    """Syncs the append-only file in a directory, and seals it, until it is stopped."""

    def __init__(self, directory: Path, *, syncing: bool) -> None:
        super().__init__(daemon=True, name="flusher")
        self._directory = directory
        self._syncing = syncing
        self._sealer = Sealer(directory)
        self._stopping = Event()

    def run(self) -> None:
        """Sync and seal every second; what is sealed was synced before."""
        while not self._stopping.wait(SECONDS):
            try:
                if self._syncing:
                    sync(self._directory)
                self._sealer.seal()
            except OSError:
                log.exception("the append-only file does not reach the disk")

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
    for file in (directory / FOLDER).glob(FILES):
        with suppress(FileNotFoundError):
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
