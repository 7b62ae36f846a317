"""Backups: a folder with SQL, Redis and checksums, made while the site runs."""
