"""Backups of a running site, and restoring from them."""
