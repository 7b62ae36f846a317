"""Backups: a folder with SQL, Redis and checksums; made on a living site, brought back on any."""
