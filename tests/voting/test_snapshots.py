"""Snapshots for backups, while the server does other things in the background."""

from tests.voting.servers import Server
from tests.voting.sites import BRAM, publish, vote

SLOWLY = 5_000
"""Microseconds that writing each key takes longer."""


def test_a_backup_waits_while_the_server_writes_its_append_only_file_anew(server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    with server.plain() as plain:
        plain.config_set("rdb-key-save-delay", SLOWLY)
        plain.bgrewriteaof()
        vote(site, BRAM, 7)
        assert plain.info("persistence")["aof_rewrite_in_progress"], "or this proves nothing"
        plain.config_set("rdb-key-save-delay", 0)
        saved_at = plain.lastsave()
        site.upkeep.snapshot(30)
        assert plain.lastsave() >= saved_at
        assert not plain.info("persistence")["rdb_changes_since_last_save"], "the vote is in it"
