"""Snapshots for backups, taken while the server is busy in the background."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from redis import Redis

from tests.start.site import started_by
from tests.voting.servers import Server
from tests.voting.sites import BRAM, publish, vote
from tests.waiting import until

SLOWLY = 5_000
"""The server pauses this many microseconds after writing each key."""


def is_rewriting(plain: Redis) -> bool:
    return bool(plain.info("persistence")["aof_rewrite_in_progress"])


@contextmanager
def rewriting(server: Server, plain: Redis) -> Iterator[int]:
    """Start to rewrite the append-only file, and suspend the process that does this."""

    def caught() -> int:
        if not is_rewriting(plain):
            plain.bgrewriteaof()
        for pid in started_by(server.running.pid):
            os.kill(pid, signal.SIGSTOP)
            if is_rewriting(plain):
                return pid
        return 0

    plain.config_set("rdb-key-save-delay", SLOWLY)
    pid = until(caught, "it is caught at its work")
    plain.config_set("rdb-key-save-delay", 0)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)


def test_snapshot_waits_for_a_rewrite_of_the_append_only_file(server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    with server.plain() as plain, ThreadPoolExecutor(1) as pool:
        with rewriting(server, plain):
            vote(site, BRAM, 7)
            saved_at = plain.lastsave()
            backup = pool.submit(site.maintenance.server.snapshot, 600)
            until(lambda: "cmdstat_bgsave" in plain.info("commandstats"), "the backup begins")
            assert not backup.done(), "it waits"
        backup.result()
        assert plain.lastsave() >= saved_at
        assert not plain.info("persistence")["rdb_changes_since_last_save"], "the vote is in it"
